using System;

namespace Sitewire.Publish
{
    /// <summary>
    /// A field breaks a rule, and nothing was sent. The message names the field, what is wrong and the remedy, but
    /// contains no value.
    /// </summary>
    public sealed class InvalidSitePaidException : ArgumentException
    {
        internal InvalidSitePaidException(string field, string wrong, string remedy)
            : base($"site.paid was not published: {field} {wrong}. {remedy}")
        {
            Field = field;
        }

        /// <summary>The name of the field in JSON, or of the header.</summary>
        public string Field { get; }
    }
}
