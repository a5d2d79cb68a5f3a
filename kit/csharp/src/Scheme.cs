namespace Sitewire
{
    /// <summary>
    /// The headers that a delivery is verified by. Both are in every delivery, unless Standard Webhooks is off for the channel.
    /// </summary>
    public enum Scheme
    {
        /// <summary><c>X-Sitewire-Signature</c>: covers the body.</summary>
        Sitewire,

        /// <summary>
        /// <c>webhook-id</c>, <c>webhook-timestamp</c>, <c>webhook-signature</c>: cover the body, the id and the time of the attempt.
        /// </summary>
        StandardWebhooks,
    }

    /// <summary>The names of schemes in settings.</summary>
    public static class Schemes
    {
        /// <summary>Reads <c>sitewire</c> or <c>standard-webhooks</c>.</summary>
        /// <exception cref="System.ArgumentException">The name is another one.</exception>
        public static Scheme Parse(string name)
        {
            switch (name)
            {
                case "sitewire": return Scheme.Sitewire;
                case "standard-webhooks": return Scheme.StandardWebhooks;
                default: throw new System.ArgumentException("The scheme must be sitewire or standard-webhooks. Check the setting.");
            }
        }
    }
}
