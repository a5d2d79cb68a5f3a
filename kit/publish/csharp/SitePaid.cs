// Written by kit/publish/generate.ts from docs/reference/schemas/site.paid.json.
using System.Collections.Generic;

namespace Sitewire.Publish
{
    /// <summary>A site bought through a channel is paid and ready for use.</summary>
    public sealed class SitePaid
    {
        /// <summary>Identifies the event. A second event with the same id is not delivered. For example <c>order-10042</c>.</summary>
        public string Id { get; set; }

        /// <summary>Sales channel through which the site was bought. For example <c>acme</c>.</summary>
        public string Channel { get; set; }

        /// <summary>The data-ref value that the partner gave to the purchase frame. For example <c>user-4711</c>.</summary>
        public string Reference { get; set; }

        /// <summary>URL of the new site. It must have two hexadecimal digits after each %, and must have a valid host. For example <c>https://bakery.example</c>.</summary>
        public string SiteUrl { get; set; }

        /// <summary>URL of the site's management console. It must have two hexadecimal digits after each %, and must have a valid host. For example <c>https://console.example/bakery</c>.</summary>
        public string ConsoleUrl { get; set; }

        /// <summary>Name of the site. For example <c>Bakery</c>.</summary>
        public string Name { get; set; }

        /// <summary>Contact address of the site's owner. Personal data. For example <c>owner@bakery.example</c>.</summary>
        public string Email { get; set; }

        /// <summary>Creation time, ISO 8601 with a UTC offset. It must be in the years 0000 to 9999, in UTC. For example <c>2026-03-01T12:00:00+01:00</c>.</summary>
        public string CreatedAt { get; set; }

        /// <summary>An event from its fields by name, for example from parsed JSON. Other fields are ignored.</summary>
        /// <exception cref="InvalidSitePaidException">A field is missing or breaks a rule; it names the field.</exception>
        public static SitePaid Of(IReadOnlyDictionary<string, object> values)
        {
            var fields = Rules.SitePaid.Check(values);
            return new SitePaid
            {
                Id = fields["id"],
                Channel = fields["channel"],
                Reference = fields["reference"],
                SiteUrl = fields["site_url"],
                ConsoleUrl = fields["console_url"],
                Name = fields["name"],
                Email = fields["email"],
                CreatedAt = fields["created_at"],
            };
        }

        internal Dictionary<string, object> Values() => new Dictionary<string, object>
        {
            ["id"] = Id,
            ["channel"] = Channel,
            ["reference"] = Reference,
            ["site_url"] = SiteUrl,
            ["console_url"] = ConsoleUrl,
            ["name"] = Name,
            ["email"] = Email,
            ["created_at"] = CreatedAt,
        };
    }
}
