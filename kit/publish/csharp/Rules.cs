using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace Sitewire.Publish
{
    /// <summary>The rules of rules.tsv, which kit/publish/rules.ts describes.</summary>
    internal sealed class Rules
    {
        /// <summary>The fields of the event, each of which is required.</summary>
        internal static readonly Rules SitePaid = new Rules("field");

        /// <summary>The headers of the record, none of which is required.</summary>
        internal static readonly Rules Headers = new Rules("header");

        private readonly bool _required;
        private readonly List<Field> _fields = new List<Field>();

        private Rules(string kind)
        {
            _required = kind == "field";
            var own = false;
            foreach (var parts in ReadLines().Select(line => line.Split('\t')))
            {
                if (parts.Length == 5)
                {
                    own = parts[0] == kind;
                    if (own) _fields.Add(new Field(parts[1], int.Parse(parts[2]), int.Parse(parts[3]), parts[4]));
                }
                else if (own)
                {
                    // In .NET, $ also matches before a line break at the end.
                    var pattern = new Regex(parts[1].Replace("$", @"\z"), RegexOptions.CultureInvariant);
                    _fields.Last().Conditions.Add(new Condition(pattern, parts[0] == "match", parts[2], parts[3]));
                }
            }
        }

        /// <summary>The checked values of the fields that have rules, in their order.</summary>
        internal Dictionary<string, string> Check(IReadOnlyDictionary<string, object> values)
        {
            var texts = new Dictionary<string, string>();
            foreach (var field in _fields)
            {
                values.TryGetValue(field.Name, out var value);
                if (_required || value != null) texts[field.Name] = field.Read(value);
            }
            return texts;
        }

        private static IEnumerable<string> ReadLines()
        {
            var file = typeof(Rules).Assembly.GetManifestResourceStream("rules.tsv");
            using (var reader = new StreamReader(file)) return reader.ReadToEnd().Trim().Split('\n');
        }

        /// <summary>A pattern that a text must match, or must not.</summary>
        private sealed class Condition
        {
            internal Condition(Regex pattern, bool matches, string wrong, string remedy)
            {
                Pattern = pattern;
                Matches = matches;
                Wrong = wrong;
                Remedy = remedy;
            }

            internal Regex Pattern { get; }
            internal bool Matches { get; }
            internal string Wrong { get; }
            internal string Remedy { get; }
        }

        /// <summary>A field of the event, or a header of the record. Lengths are in code points.</summary>
        private sealed class Field
        {
            private readonly int _min;
            private readonly int _max;
            private readonly string _description;

            internal Field(string name, int min, int max, string description)
            {
                Name = name;
                _min = min;
                _max = max;
                _description = description;
            }

            internal string Name { get; }
            internal List<Condition> Conditions { get; } = new List<Condition>();

            internal string Read(object value)
            {
                if (value == null) throw Invalid("is missing", "Set it: " + _description);
                if (!(value is string text)) throw Invalid("is not text", "Convert it to text.");
                var pairs = Enumerable.Range(0, Math.Max(0, text.Length - 1)).Count(at => char.IsSurrogatePair(text, at));
                if (text.Count(char.IsSurrogate) != 2 * pairs)
                    throw Invalid("is not valid Unicode", "Decode it with the encoding in which it was written.");
                if (text.Length < _min) throw Invalid("is empty", "Set it: " + _description);
                if (text.Length - pairs > _max) throw Invalid($"has more than {_max} characters", "Shorten it.");
                foreach (var condition in Conditions)
                {
                    if (condition.Pattern.IsMatch(text) != condition.Matches) throw Invalid(condition.Wrong, condition.Remedy);
                }
                return text;
            }

            private InvalidSitePaidException Invalid(string wrong, string remedy) =>
                new InvalidSitePaidException(Name, wrong, remedy);
        }
    }
}
