using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Sitewire
{
    /// <summary>
    /// Reads and writes JSON strictly (RFC 8259, in UTF-8 without a byte order mark), because .NET Standard has no reader of its own.
    /// Values are Dictionary, List, string, double, bool and null. The last of several equal names counts.
    /// </summary>
    internal sealed class Json
    {
        // Deeper values end as an error, before the stack does.
        private const int DepthLimit = 64;

        private readonly string text;
        private int position;

        private Json(string text)
        {
            this.text = text;
        }

        /// <exception cref="FormatException">The bytes are not JSON in UTF-8.</exception>
        internal static object Parse(byte[] bytes)
        {
            Json json;
            try
            {
                json = new Json(new UTF8Encoding(false, true).GetString(bytes));
            }
            catch (ArgumentException)
            {
                throw new FormatException("The bytes are not UTF-8.");
            }
            var value = json.ReadValue(0);
            json.SkipWhiteSpace();
            return json.position == json.text.Length ? value : throw json.Invalid();
        }

        /// <summary>The text as a JSON string.</summary>
        internal static string Quote(string value)
        {
            var quoted = new StringBuilder("\"");
            foreach (var character in value)
            {
                if (character == '"' || character == '\\') quoted.Append('\\').Append(character);
                else if (character < ' ') quoted.AppendFormat(CultureInfo.InvariantCulture, "\\u{0:x4}", (int)character);
                else quoted.Append(character);
            }
            return quoted.Append('"').ToString();
        }

        private object ReadValue(int depth)
        {
            if (depth > DepthLimit) throw Invalid();
            SkipWhiteSpace();
            switch (Peek())
            {
                case '{': return ReadObject(depth);
                case '[': return ReadArray(depth);
                case '"': return ReadString();
                case 't': return ReadWord("true", true);
                case 'f': return ReadWord("false", false);
                case 'n': return ReadWord("null", null);
                default: return ReadNumber();
            }
        }

        private Dictionary<string, object> ReadObject(int depth)
        {
            var members = new Dictionary<string, object>();
            position++;
            if (Ends('}')) return members;
            do
            {
                SkipWhiteSpace();
                var name = ReadString();
                SkipWhiteSpace();
                Require(':');
                members[name] = ReadValue(depth + 1);
            }
            while (Continues('}'));
            return members;
        }

        private List<object> ReadArray(int depth)
        {
            var items = new List<object>();
            position++;
            if (Ends(']')) return items;
            do items.Add(ReadValue(depth + 1));
            while (Continues(']'));
            return items;
        }

        private bool Ends(char bracket)
        {
            SkipWhiteSpace();
            if (Peek() != bracket) return false;
            position++;
            return true;
        }

        private bool Continues(char bracket)
        {
            if (Ends(bracket)) return false;
            Require(',');
            return true;
        }

        private string ReadString()
        {
            Require('"');
            var value = new StringBuilder();
            while (Peek() != '"')
            {
                var character = Next();
                if (character < ' ') throw Invalid();
                value.Append(character == '\\' ? ReadEscape() : character);
            }
            position++;
            return value.ToString();
        }

        private char ReadEscape()
        {
            var character = Next();
            if (character == 'u')
            {
                var code = 0;
                for (var digit = 0; digit < 4; digit++)
                {
                    var value = "0123456789abcdef".IndexOf(char.ToLowerInvariant(Next()));
                    if (value < 0) throw Invalid();
                    code = code * 16 + value;
                }
                return (char)code;
            }
            var index = "\"\\/bfnrt".IndexOf(character);
            return index < 0 ? throw Invalid() : "\"\\/\b\f\n\r\t"[index];
        }

        private object ReadWord(string word, object value)
        {
            foreach (var character in word) Require(character);
            return value;
        }

        private object ReadNumber()
        {
            var start = position;
            if (Peek() == '-') position++;
            if (Peek() == '0') position++;
            else SkipDigits();
            if (Peek() == '.')
            {
                position++;
                SkipDigits();
            }
            if (Peek() == 'e' || Peek() == 'E')
            {
                position++;
                if (Peek() == '+' || Peek() == '-') position++;
                SkipDigits();
            }
            // A number that is too large: Mono throws an OverflowException, and .NET returns infinity.
            double.TryParse(
                text.Substring(start, position - start), NumberStyles.Float, CultureInfo.InvariantCulture, out var number);
            return number;
        }

        private void SkipDigits()
        {
            var start = position;
            while (Peek() >= '0' && Peek() <= '9') position++;
            if (position == start) throw Invalid();
        }

        private void SkipWhiteSpace()
        {
            while (position < text.Length && " \t\n\r".IndexOf(text[position]) >= 0) position++;
        }

        // At the end of the text, a character that no value contains outside of a string; Next then finds the end within a string.
        private char Peek()
        {
            return position < text.Length ? text[position] : '\0';
        }

        private char Next()
        {
            return position < text.Length ? text[position++] : throw Invalid();
        }

        private void Require(char character)
        {
            if (Next() != character) throw Invalid();
        }

        private FormatException Invalid()
        {
            return new FormatException("The text is not JSON at character " + position + ".");
        }
    }
}
