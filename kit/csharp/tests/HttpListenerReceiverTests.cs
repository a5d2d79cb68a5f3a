using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;

namespace Sitewire.Tests
{
    internal sealed class HttpListenerReceiverTests
    {
        private readonly List<string> received = new List<string>();

        public async Task TheResponseTellsTheFault()
        {
            var receiver = new HttpListenerReceiver(new[] { "old", "new" }, Store);
            using (var server = new LocalServer(receiver.RespondAsync))
            {
                Check.Equal("401 {\"fault\":\"mismatch\"}", await Post(server, Sign("{}", "forged")));
                Check.Equal("401 {\"fault\":\"missing\"}", await Post(server, null));
                Check.Equal("400 {\"fault\":\"invalid-body\"}", await Post(server, Sign("{}", "new")));
                Check.Equal("400 {\"fault\":\"invalid-body\"}", await Post(server, Sign(new string(' ', 65536), "new")));
                Check.Equal("413 ", await Post(server, Sign(new string(' ', 65537), "new")));
                Check.Equal(0, received.Count);
                Check.Equal("204 ", await Post(server, Testing.SignDelivery(Testing.SiteReady(name: "first"), "old")));
                Check.Equal("204 ", await Post(server, Testing.SignDelivery(Testing.SiteReady(name: "second"), "new")));
                Check.Equal("first second", string.Join(" ", received));
            }
        }

        public async Task AnOldDeliveryIsOutdatedWithStandardWebhooks()
        {
            var options = new WebhookOptions { Scheme = Scheme.StandardWebhooks };
            var old = Testing.SignDelivery(Testing.SiteReady(), "secret", timestamp: DateTimeOffset.UtcNow.AddMinutes(-15));
            using (var server = new LocalServer(new HttpListenerReceiver(new[] { "secret" }, Store, options).RespondAsync))
            {
                Check.Equal("401 {\"fault\":\"outdated\"}", await Post(server, old));
                Check.Equal("204 ", await Post(server, Testing.SignDelivery(Testing.SiteReady(), "secret")));
            }
        }

        public async Task ARotationNeedsNoRestart()
        {
            var secrets = new List<string> { "old" };
            using (var server = new LocalServer(new HttpListenerReceiver(() => secrets, Store).RespondAsync))
            {
                Check.Equal("401 {\"fault\":\"mismatch\"}", await Post(server, Testing.SignDelivery(Testing.SiteReady(), "new")));
                secrets.Add("new");
                Check.Equal("204 ", await Post(server, Testing.SignDelivery(Testing.SiteReady(), "new")));
            }
        }

        public async Task AnErrorOfTheFunctionIs500AndGoesToTheCaller()
        {
            var receiver = new HttpListenerReceiver(new[] { "secret" }, site => throw new InvalidOperationException("not stored"));
            using (var server = new LocalServer(receiver.RespondAsync))
            {
                Check.Equal("500 ", await Post(server, Testing.SignDelivery(Testing.SiteReady(), "secret")));
                Check.Equal("not stored", (await server.FirstError).Message);
            }
        }

        public void AnEmptySecretStopsTheApplication()
        {
            Check.Throws<ArgumentException>(() => new HttpListenerReceiver(new[] { "" }, Store));
            Check.Throws<ArgumentException>(() => new HttpListenerReceiver(() => new string[0], Store));
        }

        private Task Store(SiteReady site)
        {
            received.Add(site.Name);
            return Task.FromResult(0);
        }

        private static SignedDelivery Sign(string body, string secret)
        {
            return Testing.SignDelivery(Encoding.UTF8.GetBytes(body), secret);
        }

        private static async Task<string> Post(LocalServer server, SignedDelivery delivery)
        {
            var request = new HttpRequestMessage(HttpMethod.Post, server.Url);
            request.Content = new ByteArrayContent(delivery?.Body ?? new byte[0]);
            if (delivery != null)
            {
                foreach (var header in delivery.Headers)
                {
                    if (!request.Headers.TryAddWithoutValidation(header.Key, header.Value))
                        request.Content.Headers.TryAddWithoutValidation(header.Key, header.Value);
                }
            }
            using (var client = new HttpClient())
            using (var response = await client.SendAsync(request))
                return (int)response.StatusCode + " " + await response.Content.ReadAsStringAsync();
        }
    }
}
