// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/windows.h"

#include "core/corpus/word_key.h"
#include "core/tokenizer/fold_case.h"

#include <algorithm>
#include <cstring>

namespace headscope::core {

namespace {

constexpr std::string_view whiteSpace = " \t\r\n";

/// The first `count` values, which leave the vector.
template<typename Vector>
Vector takeFront(Vector& values, std::size_t count)
{
    if (values.empty())
        return {};
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
    Vector front(values.begin(), end);
    values.erase(values.begin(), end);
    return front;
}

} // namespace

WordNumbers WordNumbers::only(const std::vector<std::string>& words, Case letters)
{
    WordNumbers numbers;
    for (const std::string& word : words)
        numbers.of(letters == Case::Folded ? foldCase(wordKey(word)) : wordKey(word));
    numbers.m_closed = true;
    numbers.m_letters = letters;
    return numbers;
}

std::uint32_t WordNumbers::of(const std::string& word)
{
    if (m_closed) {
        const std::string key = wordKey(word);
        const auto known = m_numbers.find(m_letters == Case::Folded ? foldCase(key) : key);
        return known == m_numbers.end() ? noWord : known->second;
    }
    const auto [found, isNew] = m_numbers.emplace(word, static_cast<std::uint32_t>(m_words.size()));
    if (isNew)
        m_words.push_back(word);
    return found->second;
}

WindowReader::WindowReader(DocumentReader documents, std::shared_ptr<const Tokenizer> tokenizer, WindowOptions options, Progress progress)
    : m_reader(std::move(documents)), m_tokenizer(std::move(tokenizer)), m_options(options), m_progress(std::move(progress))
{
}

bool WindowReader::nextDocument()
{
    m_progress.checkpoint();
    if (!m_reader.next())
        return false;
    m_stream = m_tokenizer->stream(m_options.policy, m_progress);
    m_digest = Sha256();
    m_invalid = InvalidBytes();
    m_runs = TextRuns();
    m_unplaced.clear();
    m_next = {};
    m_text.clear();
    m_textBegin = 0;
    ++m_documents;
    m_bytes = m_inkEnd = m_tokens = m_windows = 0;
    m_ended = false;
    return true;
}

/// Tokens that can go into a window: those whose tag and word are known.
std::size_t WindowReader::ready() const
{
    return m_next.ids.size() - m_unplaced.size();
}

/// The text of so many tokens that are ready, and what is wanted behind it.
bool WindowReader::textIsThere(std::size_t tokens) const
{
    return !m_options.textAround || m_next.text.spans[tokens - 1].end + *m_options.textAround <= m_bytes;
}

std::optional<Window> WindowReader::next()
{
    const auto length = static_cast<std::size_t>(m_options.length);
    while (!m_ended && (ready() < length || !textIsThere(length)))
        readMore();
    if (ready() == 0)
        return std::nullopt;
    return cut(std::min(length, ready()));
}

void WindowReader::readMore()
{
    m_progress.checkpoint();
    const std::string_view bytes = m_reader.read();
    if (bytes.empty()) {
        m_ended = true;
        if (!m_options.policy.documentSeparator.empty())
            takeTokens(m_stream->add(m_options.policy.documentSeparator));
        takeTokens(m_stream->finish());
        m_runs.finish();
    } else {
        m_digest.add(std::as_bytes(std::span(bytes)));
        if (const std::size_t ink = bytes.find_last_not_of(whiteSpace); ink != std::string_view::npos)
            m_inkEnd = m_bytes + ink + 1;
        m_invalid.add(bytes);
        m_bytes += bytes.size();
        if (m_options.textAround)
            m_text += bytes;
        if (placesTokens())
            m_runs.add(bytes);
        takeTokens(m_stream->add(bytes));
    }
    placeTokens();
}

/// What stands behind a document begins with white space of the document where its first token does.
bool WindowReader::isOfText(const ByteRange& span) const
{
    return !m_ended || (span.begin < m_bytes && (span.end <= m_bytes || span.begin < m_inkEnd));
}

void WindowReader::takeTokens(const std::vector<Token>& tokens)
{
    // The tokens of a group come together, for a text is never cut inside of a character.
    for (auto first = tokens.begin(); first != tokens.end();) {
        const auto last = std::find_if(first, tokens.end(), [&](const Token& token) { return token.group != first->group; });
        takeGroup({first, last});
        first = last;
    }
    m_tokens += tokens.size();
}

void WindowReader::takeGroup(std::span<const Token> group)
{
    const ByteRange whole{group.front().span.begin, group.back().span.end};
    const bool ofText = isOfText(whole);
    for (auto token = group.begin(); token != group.end(); ++token) {
        m_next.ids.push_back(token->id);
        m_next.special.push_back(token->special);
        m_next.counts.push_back(ofText && !token->special);
        if (m_options.textAround)
            m_next.text.spans.push_back(whole);
        if (!placesTokens())
            continue;
        // One without bytes stands at the beginning of a character whose bytes the next one with bytes has.
        const auto owner = std::find_if(token, group.end(), [](const Token& other) { return !other.span.empty(); });
        m_unplaced.push_back(owner == group.end() ? token->span : owner->span);
    }
}

void WindowReader::placeTokens()
{
    while (!m_unplaced.empty() && (m_ended || m_unplaced.front().end <= m_runs.known())) {
        const ByteRange span = m_unplaced.front();
        m_unplaced.pop_front();
        const bool inText = !m_ended || span.begin < m_bytes; // what is written behind a document has neither tag nor word
        const TextRuns::Run* const run = inText ? m_runs.firstIn(span.begin, span.end) : nullptr;
        if (m_options.tags != nullptr) {
            const std::uint64_t place = run != nullptr ? std::max<std::uint64_t>(span.begin, run->begin) : span.begin;
            m_next.tags.push_back(inText ? m_options.tags->at(m_reader.file(), m_reader.placeInFile(place)) : 0);
        }
        if (m_options.words != nullptr)
            m_next.words.push_back(run != nullptr && run->kind == TextRuns::Kind::Word ? m_options.words->of(run->word) : noWord);
    }
}

Window WindowReader::cut(std::size_t length)
{
    Window window;
    window.document = document();
    window.index = m_windows++;
    window.ids = takeFront(m_next.ids, length);
    window.special = takeFront(m_next.special, length);
    window.counts = takeFront(m_next.counts, length);
    window.tags = takeFront(m_next.tags, length);
    window.words = takeFront(m_next.words, length);
    if (m_options.textAround)
        window.text = cutText(length);
    return window;
}

WindowText WindowReader::cutText(std::size_t tokens)
{
    const std::uint64_t around = *m_options.textAround;
    WindowText text;
    text.file = m_reader.file();
    text.documentBegin = m_reader.begin();
    text.spans = takeFront(m_next.text.spans, tokens);
    for (ByteRange& span : text.spans)
        span = {std::min<std::size_t>(span.begin, m_bytes), std::min<std::size_t>(span.end, m_bytes)};

    const std::uint64_t first = text.spans.front().begin;
    const std::uint64_t last = std::min(m_bytes, text.spans.back().end + around);
    text.begin = std::max(m_textBegin, first - std::min(first, around));
    text.bytes = m_text.substr(text.begin - m_textBegin, last - text.begin);
    // Nothing before this is wanted again; a little at a time is not worth the moving.
    const std::uint64_t lastBegin = text.spans.back().begin;
    const std::uint64_t wanted = lastBegin - std::min(lastBegin, around);
    if (wanted > m_textBegin && wanted - m_textBegin > m_text.size() / 2) {
        m_text.erase(0, wanted - m_textBegin);
        m_textBegin = wanted;
    }
    return text;
}

CorpusHash WindowReader::hash()
{
    const auto digest = m_digest.finish();
    CorpusHash hash{};
    std::memcpy(hash.data(), digest.data(), sizeof hash);
    return hash;
}

} // namespace headscope::core
