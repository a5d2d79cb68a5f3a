namespace Sitewire
{
    /// <summary>Why a request is not accepted, in the order in which it is judged.</summary>
    public enum Fault
    {
        /// <summary>A header that is needed is missing or empty.</summary>
        Missing,

        /// <summary>A header does not have the required form.</summary>
        Malformed,

        /// <summary>The signed time is too far from this machine's clock.</summary>
        Outdated,

        /// <summary>No secret gives this signature.</summary>
        Mismatch,

        /// <summary>The signature is genuine, but the body is no <c>site.ready</c> event.</summary>
        InvalidBody,
    }
}
