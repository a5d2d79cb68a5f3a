using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Sitewire.Tests
{
    internal sealed class WebhookTests
    {
        private const string Secret = "sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
        private static readonly Scheme[] BothSchemes = { Scheme.Sitewire, Scheme.StandardWebhooks };
        private readonly Random random = new Random();

        public void AnyBytesThatAreSignedAreNoMismatch()
        {
            for (var round = 0; round < 200; round++)
            {
                var secret = "s" + RandomText();
                var delivery = Testing.SignDelivery(RandomBytes(), secret);
                foreach (var scheme in BothSchemes)
                    Check.Equal(Fault.InvalidBody, FaultOf(delivery.Body, delivery.Headers, secret, scheme));
            }
        }

        public void OneFlippedBitIsAMismatch()
        {
            var delivery = Testing.SignDelivery(Testing.SiteReady(), Secret);
            for (var bit = 0; bit < 8 * delivery.Body.Length; bit++)
            {
                var body = (byte[])delivery.Body.Clone();
                body[bit / 8] ^= (byte)(1 << bit % 8);
                foreach (var scheme in BothSchemes) Check.Equal(Fault.Mismatch, FaultOf(body, delivery.Headers, Secret, scheme));
            }
        }

        public void RandomHeadersAreAFaultOfTheSender()
        {
            var genuine = Testing.SignDelivery(Testing.SiteReady(), Secret).Headers;
            var changes = new Func<string, IEnumerable<string>>[]
            {
                value => new string[0],
                value => new string[] { null },
                value => new[] { "" },
                value => new[] { value, value },
                value => new[] { value + "\n" },
                value => new[] { new string(value.Reverse().ToArray()) },
                value => new[] { RandomText() },
            };
            for (var round = 0; round < 500; round++)
            {
                var headers = genuine.SelectMany(header =>
                    changes[random.Next(changes.Length)](header.Value).Select(value => Pair(header.Key, value))).ToList();
                headers.Add(Pair(RandomText(), RandomText()));
                foreach (var scheme in BothSchemes)
                    Check.Equal(false, FaultOf(Encoding.UTF8.GetBytes("{}"), headers, Secret, scheme) == Fault.InvalidBody);
            }
        }

        public void TheEventHasTheIdOfItsDelivery()
        {
            var delivery = Testing.SignDelivery(Testing.SiteReady(), Secret, "d1");
            var signature = delivery.Headers["X-Sitewire-Signature"];
            var others = delivery.Headers.Where(header => header.Key != "X-Sitewire-Delivery").ToList();
            Func<WebhookOptions, KeyValuePair<string, string>[], string> idOf = (options, more) =>
                Webhook.ConstructEvent(delivery.Body, others.Concat(more), new[] { Secret }, options).Delivery;
            var changed = new[] { Pair("x-sitewire-delivery", "d2") };
            Check.Equal("d2", idOf(null, changed));
            Check.Equal("d1", idOf(new WebhookOptions { Scheme = Scheme.StandardWebhooks }, changed));
            var renamed = new[] { Pair("X-Acme-Signature", signature), Pair("X-Acme-Delivery", "d3") };
            Check.Equal("d3", idOf(new WebhookOptions { Header = "x-acme-signature" }, renamed));
            Check.Equal("", idOf(new WebhookOptions { Header = "X-Proof" }, new[] { Pair("X-Proof", signature) }));
            Check.Equal("", idOf(null, new KeyValuePair<string, string>[0]));
            Check.Equal("", idOf(null, changed.Concat(changed).ToArray()));
        }

        public void EachSignedDeliveryHasAGreaterId()
        {
            var ids = Enumerable.Range(0, 99)
                .Select(_ => Testing.SignDelivery(Testing.SiteReady(), Secret).Headers["X-Sitewire-Delivery"]).ToList();
            Check.Equal(string.Join(" ", ids.Distinct().OrderBy(id => id, StringComparer.Ordinal)), string.Join(" ", ids));
            Check.Equal("7", new Guid(ids[0]).ToString().Substring(14, 1));
            var seconds = Convert.ToInt64(ids[0].Replace("-", "").Substring(0, 12), 16) / 1000;
            Check.Equal(true, Math.Abs(seconds - DateTimeOffset.UtcNow.ToUnixTimeSeconds()) < 60);
            var sent = Testing.SignDelivery(Testing.SiteReady(delivery: "d1"), Secret);
            Check.Equal("d1", sent.Headers["X-Sitewire-Delivery"]);
        }

        public void AHeaderThatCameTwiceIsMalformed()
        {
            var delivery = Testing.SignDelivery(Testing.SiteReady(), Secret);
            var twice = delivery.Headers.Concat(delivery.Headers.Select(header => Pair(header.Key.ToLowerInvariant(), header.Value)));
            foreach (var scheme in BothSchemes) Check.Equal(Fault.Malformed, FaultOf(delivery.Body, twice, Secret, scheme));
            var empty = new[] { Pair("X-Sitewire-Signature", ""), Pair("X-Sitewire-Signature", "") };
            Check.Equal(Fault.Malformed, FaultOf(delivery.Body, empty, Secret));
        }

        public void AServiceOfAnotherNameHasAnotherHeader()
        {
            var delivery = Testing.SignDelivery(Testing.SiteReady(), Secret);
            var headers = new[] { Pair("x-shop-signature", delivery.Headers["X-Sitewire-Signature"]) };
            var options = new WebhookOptions { Header = "X-Shop-Signature" };
            Check.Equal("Bäckerei", Webhook.ConstructEvent(delivery.Body, headers, new[] { Secret }, options).Name);
        }

        public void TheToleranceCanBeChanged()
        {
            var delivery = Testing.SignDelivery(Testing.SiteReady(), Secret, timestamp: DateTimeOffset.UtcNow.AddMinutes(-10));
            Check.Equal(Fault.Outdated, FaultOf(delivery.Body, delivery.Headers, Secret, Scheme.StandardWebhooks));
            var options = new WebhookOptions { Scheme = Scheme.StandardWebhooks, Tolerance = TimeSpan.FromHours(1) };
            Check.Equal("Bäckerei", Webhook.ConstructEvent(delivery.Body, delivery.Headers, new[] { Secret }, options).Name);
        }

        public void AFaultOfTheReceiverIsAnotherError()
        {
            var delivery = Testing.SignDelivery(Testing.SiteReady(), Secret);
            foreach (var secrets in new[] { null, new string[0], new[] { Secret, "" }, new string[] { null } })
            {
                Check.Throws<ArgumentException>(() => Webhook.ConstructEvent(delivery.Body, delivery.Headers, secrets));
                Check.Throws<ArgumentException>(
                    () => Webhook.VerifySourceRequest("GET", "https://a.example/", delivery.Headers, secrets));
            }
            Check.Throws<ArgumentException>(() => Webhook.ConstructEvent(null, delivery.Headers, new[] { Secret }));
            Check.Throws<ArgumentException>(() => Testing.SignDelivery(Testing.SiteReady(), ""));
            Check.Throws<ArgumentException>(() => Schemes.Parse("Sitewire"));
        }

        public void HostileInputEndsAsAFault()
        {
            var garbage = new byte[5 << 20];
            random.NextBytes(garbage);
            var nested = "{\"x\":" + new string('[', 1 << 20) + new string(']', 1 << 20) + "}";
            foreach (var body in new[] { garbage, Encoding.UTF8.GetBytes(nested) })
            {
                var delivery = Testing.SignDelivery(body, Secret);
                Check.Equal(Fault.InvalidBody, FaultOf(body, delivery.Headers, Secret));
            }
            var huge = Testing.SignDelivery(garbage, Secret).Headers.ToDictionary(header => header.Key, header => header.Value);
            huge["webhook-signature"] = string.Concat(Enumerable.Repeat("v1,x ", 200000)) + "v1,x";
            huge["X-Sitewire-Signature"] = "sha256=" + new string('0', 5 << 20);
            Check.Equal(Fault.Mismatch, FaultOf(garbage, huge, Secret, Scheme.StandardWebhooks));
            Check.Equal(Fault.Malformed, FaultOf(garbage, huge, Secret));
        }

        public void NoErrorRepeatsTheRequestOrTheSecret()
        {
            var delivery = Testing.SignDelivery(Encoding.UTF8.GetBytes("{\"email\":\"owner@bakery.example\"}"), "the-secret");
            foreach (var secret in new[] { "the-secret", "another-secret" })
            {
                var error = Check.Throws<WebhookException>(
                    () => Webhook.ConstructEvent(delivery.Body, delivery.Headers, new[] { secret }));
                foreach (var content in new[] { "bakery", "the-secret", "another-secret", delivery.Headers["X-Sitewire-Signature"] })
                    Check.Equal(false, error.ToString().Contains(content));
            }
        }

        private static Fault FaultOf(
            byte[] body, IEnumerable<KeyValuePair<string, string>> headers, string secret, Scheme scheme = Scheme.Sitewire)
        {
            return Check.Throws<WebhookException>(
                () => Webhook.ConstructEvent(body, headers, new[] { secret }, new WebhookOptions { Scheme = scheme })).Fault;
        }

        private static KeyValuePair<string, string> Pair(string name, string value)
        {
            return new KeyValuePair<string, string>(name, value);
        }

        private byte[] RandomBytes()
        {
            var bytes = new byte[random.Next(300)];
            random.NextBytes(bytes);
            return bytes;
        }

        private string RandomText()
        {
            return new string(RandomBytes().Select(one => (char)one).ToArray());
        }
    }
}
