using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Sitewire
{
    /// <summary>A delivery as Sitewire sends it.</summary>
    public sealed class SignedDelivery
    {
        internal SignedDelivery(byte[] body, IReadOnlyDictionary<string, string> headers)
        {
            Body = body;
            Headers = headers;
        }

        /// <summary>The bytes of the body.</summary>
        public byte[] Body { get; }

        /// <summary>The headers of both schemes, and the others of a delivery.</summary>
        public IReadOnlyDictionary<string, string> Headers { get; }
    }

    /// <summary>Signed deliveries for the tests of a receiver.</summary>
    public static class Testing
    {
        /// <summary>A fictional event. Name the fields that the test is about: <c>SiteReady(name: "Bakery")</c>.</summary>
        public static SiteReady SiteReady(
            string channel = "acme",
            string reference = "user-4711",
            string siteUrl = "https://bakery.example/",
            string consoleUrl = "https://console.bakery.example/",
            string name = "Bäckerei",
            string email = "owner@bakery.example",
            string createdAt = "2026-03-01T12:00:00+00:00",
            string delivery = "")
        {
            return new SiteReady(channel, reference, siteUrl, consoleUrl, name, email, createdAt, delivery);
        }

        /// <summary>Signs an event, with the headers of both schemes.</summary>
        /// <param name="site">The event.</param>
        /// <param name="secret">The signing secret.</param>
        /// <param name="id">The id of the delivery; null: that of the event, or a new one, greater than those before.</param>
        /// <param name="timestamp">The time of the attempt; null: now.</param>
        /// <exception cref="ArgumentException">The secret is unusable.</exception>
        public static SignedDelivery SignDelivery(
            SiteReady site, string secret, string id = null, DateTimeOffset? timestamp = null)
        {
            id = id ?? (site.Delivery == "" ? null : site.Delivery);
            return SignDelivery(Encoding.UTF8.GetBytes(site.ToJson()), secret, id, timestamp);
        }

        /// <summary>Signs any bytes, with the headers of both schemes.</summary>
        /// <param name="body">The bytes of the body.</param>
        /// <param name="secret">The signing secret.</param>
        /// <param name="id">The id of the delivery; null: a new one.</param>
        /// <param name="timestamp">The time of the attempt; null: now.</param>
        /// <exception cref="ArgumentException">The secret is unusable.</exception>
        public static SignedDelivery SignDelivery(
            byte[] body, string secret, string id = null, DateTimeOffset? timestamp = null)
        {
            var key = Signature.Keys(new[] { secret })[0];
            id = id ?? NewId();
            var seconds = (timestamp ?? DateTimeOffset.UtcNow).ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture);
            return new SignedDelivery(body, new Dictionary<string, string>
            {
                { "Content-Type", "application/json" },
                { "X-Sitewire-Signature", Signature.OfBody(key, body) },
                { "X-Sitewire-Delivery", id },
                { "X-Sitewire-Attempt", "1" },
                { "webhook-id", id },
                { "webhook-timestamp", seconds },
                { "webhook-signature", Signature.OfStandardWebhooks(key, id, seconds, body) },
            });
        }

        /// <summary>A UUID of version 7 that is greater than those of microseconds ago.</summary>
        private static string NewId()
        {
            var ticks = DateTimeOffset.UtcNow.Ticks - new DateTimeOffset(1970, 1, 1, 0, 0, 0, TimeSpan.Zero).Ticks;
            var time = (ticks / 10000).ToString("x12") + "7" + (ticks % 10000 * 4096 / 10000).ToString("x3");
            return time.Substring(0, 8) + "-" + time.Substring(8, 4) + "-" + time.Substring(12, 4) + "-8"
                + Guid.NewGuid().ToString("N").Substring(0, 3) + "-" + Guid.NewGuid().ToString("N").Substring(0, 12);
        }
    }
}
