// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/atomic_file.h"

#include <filesystem>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <utility>

namespace headscope::core {

/// An AtomicFile behind an ostream. Failures to write are thrown by the stream's operations as core::Error.
class AtomicStream
{
public:
    explicit AtomicStream(std::filesystem::path target) : m_buffer(std::move(target)), m_stream(&m_buffer)
    {
        m_stream.exceptions(std::ios::badbit); // so that what AtomicFile throws is not swallowed
    }
    std::ostream& stream() { return m_stream; }
    /// The file appears under its name.
    void commit() { m_buffer.file.commit(); }

private:
    struct Buffer : std::streambuf {
        explicit Buffer(std::filesystem::path target) : file(std::move(target)) {}
        int_type overflow(int_type character) override
        {
            if (!traits_type::eq_int_type(character, traits_type::eof())) {
                const char one = traits_type::to_char_type(character);
                file.write(std::string_view(&one, 1));
            }
            return traits_type::not_eof(character);
        }
        std::streamsize xsputn(const char* text, std::streamsize size) override
        {
            file.write(std::string_view(text, static_cast<std::size_t>(size)));
            return size;
        }
        AtomicFile file;
    };

    Buffer m_buffer;
    std::ostream m_stream;
};

} // namespace headscope::core
