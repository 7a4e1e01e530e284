// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/tokens_json.h"

#include "core/checkpoint/message_text.h"
#include "core/export/base64.h"

#include <algorithm>

namespace headscope::core {

namespace {

using Layout = JsonWriter::Layout;

template<typename Member>
void writeEach(JsonWriter& json, std::string_view name, const std::vector<Token>& tokens, Member member)
{
    json.key(name);
    json.beginArray(Layout::OneLine);
    for (const Token& token : tokens)
        json.value(member(token));
    json.endArray();
}

void writeRange(JsonWriter& json, const ByteRange& range)
{
    json.beginArray(Layout::OneLine);
    json.value(range.begin);
    json.value(range.end);
    json.endArray();
}

void writePiecesBase64(JsonWriter& json, const std::vector<Token>& tokens)
{
    json.key("piecesBase64");
    json.beginArray(Layout::OneLine);
    for (const Token& token : tokens) {
        if (isUtf8(token.piece))
            json.null();
        else
            json.value(base64(token.piece));
    }
    json.endArray();
}

} // namespace

void writeTokenMembers(JsonWriter& json, const TokenizedText& text)
{
    json.member("text", text.text);
    if (!isUtf8(text.text))
        json.member("textBase64", base64(text.text));
    writeEach(json, "ids", text.tokens, [](const Token& token) { return token.id; });
    writeEach(json, "pieces", text.tokens, [](const Token& token) { return std::string_view(token.piece); });
    if (!std::all_of(text.tokens.begin(), text.tokens.end(), [](const Token& token) { return isUtf8(token.piece); }))
        writePiecesBase64(json, text.tokens);
    json.key("spans");
    json.beginArray(Layout::OneLine);
    for (const Token& token : text.tokens)
        writeRange(json, token.span);
    json.endArray();
    writeEach(json, "special", text.tokens, [](const Token& token) { return token.special; });
    writeEach(json, "groups", text.tokens, [](const Token& token) { return token.group; });
    json.key("gaps");
    json.beginArray(Layout::OneLine);
    for (const ByteRange& gap : text.gaps)
        writeRange(json, gap);
    json.endArray();
}

void writeTextPolicy(JsonWriter& json, const TextPolicy& policy)
{
    json.beginObject(Layout::OneLine);
    json.member("split", toString(policy.split));
    json.member("addBos", policy.addBos);
    json.member("addEos", policy.addEos);
    json.member("documentSeparator", policy.documentSeparator);
    json.endObject();
}

void writeTokenizer(JsonWriter& json, const Tokenizer* tokenizer)
{
    if (tokenizer == nullptr)
        return json.null();
    json.beginObject(Layout::OneLine);
    json.member("description", tokenizer->description());
    json.member("file", tokenizer->path().filename().string());
    json.member("pieces", tokenizer->size());
    json.endObject();
}

} // namespace headscope::core
