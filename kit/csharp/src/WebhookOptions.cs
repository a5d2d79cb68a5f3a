using System;

namespace Sitewire
{
    /// <summary>How requests are verified.</summary>
    public sealed class WebhookOptions
    {
        /// <summary>The headers to verify.</summary>
        public Scheme Scheme { get; set; } = Scheme.Sitewire;

        /// <summary>The name of the signature header. The other names of the service follow from it.</summary>
        public string Header { get; set; } = "X-Sitewire-Signature";

        /// <summary>
        /// How far the signed time may be from this clock, only for <see cref="Sitewire.Scheme.StandardWebhooks"/>.
        /// </summary>
        public TimeSpan Tolerance { get; set; } = TimeSpan.FromMinutes(5);

        /// <summary>The time, for tests; null: this machine's clock.</summary>
        public DateTimeOffset? Now { get; set; }
    }
}
