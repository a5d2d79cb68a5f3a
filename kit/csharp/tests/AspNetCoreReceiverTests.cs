using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Sitewire.Tests
{
    /// <summary>With stand-ins for the types of ASP.NET Core.</summary>
    internal sealed class AspNetCoreReceiverTests
    {
        public async Task TheResponseTellsTheFault()
        {
            Check.Equal("204 ", await Respond(Testing.SignDelivery(Testing.SiteReady(), "secret")));
            Check.Equal("401 {\"fault\":\"mismatch\"}", await Respond(Testing.SignDelivery(Testing.SiteReady(), "forged")));
            var repeated = Testing.SignDelivery(Testing.SiteReady(), "secret");
            Check.Equal("401 {\"fault\":\"malformed\"}", await Respond(repeated, repeat: true));
            Check.Equal("400 {\"fault\":\"invalid-body\"}", await Respond(Testing.SignDelivery(new byte[65536], "secret")));
            Check.Equal("413 ", await Respond(Testing.SignDelivery(new byte[65537], "secret")));
        }

        public async Task TheChallengeOfANewAddressIsReturnedIfTheDeliveryIsGenuine()
        {
            var standard = new WebhookOptions { Scheme = Scheme.StandardWebhooks, Header = "X-Shop-Signature" };
            foreach (var options in new[] { new WebhookOptions(), standard })
            {
                var name = options == standard ? "X-Shop-Challenge" : "X-Sitewire-Challenge";
                Func<string, string, Task<string>> returned = async (secret, challenge) =>
                {
                    var delivery = Testing.SignDelivery(Testing.SiteReady(), secret);
                    var headers = new Headers { { name, challenge } };
                    foreach (var header in delivery.Headers) headers.Add(header.Key, header.Value);
                    var context = new Context(delivery.Body, headers);
                    await new AspNetCoreReceiver(new[] { "secret" }, site => Task.FromResult(0), options).RespondAsync(context);
                    return string.Join(" ", context.Response.Headers.SelectMany(header => header.Value));
                };
                Check.Equal("Ab_9-", await returned("secret", "Ab_9-"));
                Check.Equal("", await returned("secret", "a, b"));
                Check.Equal("", await returned("forged", "Ab_9-"));
            }
        }

        private static async Task<string> Respond(SignedDelivery delivery, bool repeat = false)
        {
            var headers = new Headers();
            foreach (var header in delivery.Headers)
                headers.Add(header.Key, repeat ? new StringValues(header.Value, header.Value) : new StringValues(header.Value));
            var context = new Context(delivery.Body, headers);
            await new AspNetCoreReceiver(new[] { "secret" }, site => Task.FromResult(0)).RespondAsync(context);
            return context.Response.StatusCode + " " + Encoding.UTF8.GetString(((MemoryStream)context.Response.Body).ToArray());
        }

        private sealed class Headers : Dictionary<string, StringValues>, IHeaderDictionary
        {
        }

        private sealed class Context : HttpContext
        {
            internal Context(byte[] body, IHeaderDictionary headers)
            {
                Request = new ContextRequest(headers) { Body = new MemoryStream(body) };
            }

            public override HttpRequest Request { get; }

            public override HttpResponse Response { get; } = new ContextResponse { Body = new MemoryStream() };
        }

        private sealed class ContextRequest : HttpRequest
        {
            internal ContextRequest(IHeaderDictionary headers)
            {
                Headers = headers;
            }

            public override Stream Body { get; set; }

            public override IHeaderDictionary Headers { get; }
        }

        private sealed class ContextResponse : HttpResponse
        {
            public override int StatusCode { get; set; }

            public override string ContentType { get; set; }

            public override IHeaderDictionary Headers { get; } = new Headers();

            public override Stream Body { get; set; }
        }
    }
}
