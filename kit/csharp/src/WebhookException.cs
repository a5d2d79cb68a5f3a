using System;

namespace Sitewire
{
    /// <summary>
    /// The sender's fault: the request must not be processed. The message has no content of the request and no secret.
    /// </summary>
    public sealed class WebhookException : Exception
    {
        internal WebhookException(Fault fault, string message)
            : base(message)
        {
            Fault = fault;
        }

        /// <summary>Why the request is not accepted.</summary>
        public Fault Fault { get; }

        /// <summary>The fault as Sitewire's libraries in all languages name it, for instance <c>invalid-body</c>.</summary>
        public string FaultName
        {
            get { return Fault == Fault.InvalidBody ? "invalid-body" : Fault.ToString().ToLowerInvariant(); }
        }
    }
}
