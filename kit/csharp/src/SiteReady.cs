using System;
using System.Collections.Generic;
using System.Linq;

namespace Sitewire
{
    /// <summary>A site that was bought through the channel is ready.</summary>
    public sealed class SiteReady
    {
        private const string Event = "site.ready";

        /// <summary>Creates an event, for tests.</summary>
        public SiteReady(
            string channel, string reference, string siteUrl, string consoleUrl, string name, string email, string createdAt,
            string delivery = "")
        {
            Channel = channel;
            Reference = reference;
            SiteUrl = siteUrl;
            ConsoleUrl = consoleUrl;
            Name = name;
            Email = email;
            CreatedAt = createdAt;
            Delivery = delivery;
        }

        /// <summary>The sales channel.</summary>
        public string Channel { get; }

        /// <summary>The <c>data-ref</c> that was passed to the purchase frame.</summary>
        public string Reference { get; }

        /// <summary>The URL of the new site: the key for processing an event once.</summary>
        public string SiteUrl { get; }

        /// <summary>The URL of the site's management console.</summary>
        public string ConsoleUrl { get; }

        /// <summary>The name of the site.</summary>
        public string Name { get; }

        /// <summary>The contact address of the site's owner; personal data.</summary>
        public string Email { get; }

        /// <summary>The creation time in UTC, as <c>2026-03-01T12:00:00+00:00</c>.</summary>
        public string CreatedAt { get; }

        /// <summary>
        /// The id of the delivery that the event came in, or an empty text if the header is missing. Of two deliveries of a site, the
        /// one with the greater id (<see cref="string.CompareOrdinal(string, string)"/>) has the newer content. With
        /// <see cref="Scheme.StandardWebhooks"/>, it was signed.
        /// </summary>
        public string Delivery { get; }

        /// <summary>The event as JSON, with the eight fields that a delivery has.</summary>
        public string ToJson()
        {
            var fields = new[]
            {
                "event", Event, "channel", Channel, "reference", Reference, "site_url", SiteUrl, "console_url", ConsoleUrl,
                "name", Name, "email", Email, "created_at", CreatedAt,
            };
            var quoted = fields.Select(Json.Quote).ToList();
            return "{" + string.Join(",", Enumerable.Range(0, 8).Select(i => quoted[2 * i] + ":" + quoted[2 * i + 1])) + "}";
        }

        /// <summary>Reads a body whose signature was verified. Fields that it does not know are ignored.</summary>
        /// <exception cref="WebhookException"><see cref="Fault.InvalidBody"/></exception>
        internal static SiteReady FromJson(byte[] body, string delivery)
        {
            object value;
            try
            {
                value = Json.Parse(body);
            }
            catch (FormatException)
            {
                throw Invalid("is not JSON in UTF-8");
            }
            var fields = value as Dictionary<string, object> ?? throw Invalid("is not an object");
            if (Text(fields, "event") != Event) throw Invalid("is another event");
            return new SiteReady(
                Text(fields, "channel"), Text(fields, "reference"), Text(fields, "site_url"), Text(fields, "console_url"),
                Text(fields, "name"), Text(fields, "email"), Text(fields, "created_at"), delivery);
        }

        private static string Text(Dictionary<string, object> fields, string name)
        {
            if (fields.TryGetValue(name, out var field) && field is string text) return text;
            throw Invalid("has no text `" + name + "`");
        }

        private static WebhookException Invalid(string what)
        {
            return new WebhookException(
                Fault.InvalidBody,
                "The signature is genuine, but the body " + what + ", so it is no site.ready event. Respond 400, and tell the "
                    + "operator of the service.");
        }
    }
}
