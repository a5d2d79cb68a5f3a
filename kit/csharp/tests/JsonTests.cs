using System;
using System.Text;

namespace Sitewire.Tests
{
    internal sealed class JsonTests
    {
        public void WhatIsJsonIsRead()
        {
            var texts = new[]
            {
                "{}", "[]", "\"\"", "0", "-0", "-1.5e+3", "1E400", " [ 1 , [ ] , { \"a\" : null } ] ", "true", "false", "null", "\t\r\n0",
                "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uD83D\\uDD11\"", "{\"a\":1,\"a\":2}", "\"\u007f\"",
            };
            foreach (var text in texts) Json.Parse(Encoding.UTF8.GetBytes(text));
            var escapes = Encoding.UTF8.GetBytes("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uD83D\\udd11\"");
            Check.Equal("\"\\/\b\f\n\r\tä🔑", (string)Json.Parse(escapes));
        }

        public void WhatIsNotJsonIsRejected()
        {
            var texts = new[]
            {
                "", " ", "{", "[", "\"", "\"\\", "\"\\u12\"", "\"\\u12g4\"", "\"\\x\"", "\"a\nb\"", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
                "{,}", "[1,]", "[,1]", "[1 2]", "01", "+1", "-", ".5", "1.", "1e", "1e+", "0x1", "NaN", "Infinity", "-Infinity", "True",
                "nul", "nulll", "'a'", "{} {}", "[]]", "\u00a0[]", "\ufeff[]", "[]\0", "/**/[]", "\"\0\"",
            };
            foreach (var text in texts) Rejects(Encoding.UTF8.GetBytes(text));
            Rejects(new byte[] { 0x22, 0xff, 0x22 });
            Rejects(new byte[] { 0x22, 0xc0, 0x80, 0x22 });
            Rejects(new byte[] { 0x22, 0xed, 0xa0, 0x80, 0x22 });
        }

        public void WhatIsWrittenIsReadAgain()
        {
            var text = "\"\\/\0\u001f\u007f\u2028ä🔑\n";
            Check.Equal(text, (string)Json.Parse(Encoding.UTF8.GetBytes(Json.Quote(text))));
        }

        private static void Rejects(byte[] bytes)
        {
            try
            {
                Json.Parse(bytes);
            }
            catch (FormatException)
            {
                return;
            }
            throw new Exception("was read as JSON: " + BitConverter.ToString(bytes));
        }
    }
}
