using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net.Http;
using System.Threading.Tasks;

namespace Sitewire.Tests
{
    /// <summary>The README's code, which test.sh takes out of it, does what the README says.</summary>
    internal sealed class ReadmeTests
    {
        public async Task TheReceiverTakesASignedDeliveryAndNoOther()
        {
            Environment.SetEnvironmentVariable("SITEWIRE_SECRETS", "old,new");
            using (var server = new LocalServer(Receiver.RespondAsync))
            using (var client = new HttpClient())
            {
                foreach (var secret in new[] { "new", "forged" })
                {
                    var delivery = Testing.SignDelivery(Testing.SiteReady(), secret);
                    var request = new HttpRequestMessage(HttpMethod.Post, server.Url);
                    request.Content = new ByteArrayContent(delivery.Body);
                    request.Headers.Add("X-Sitewire-Signature", delivery.Headers["X-Sitewire-Signature"]);
                    using (var response = await client.SendAsync(request))
                        Check.Equal(secret == "new" ? 204 : 401, (int)response.StatusCode);
                }
            }
        }

        public void TheExampleOfATestPasses()
        {
            ReceiverTest.AGenuineDeliveryIsAccepted();
        }

        public async Task TheTriggerIsCalledAgainAfter503ButNotAfter404()
        {
            var responses = new List<int>();
            Func<System.Net.HttpListenerContext, Task> trigger = context =>
            {
                var known = context.Request.HttpMethod == "POST" && context.Request.RawUrl == "/connectors/hook/con_1/token/";
                var status = !known ? 404 : responses.Count == 0 ? 503 : 202;
                responses.Add(status);
                context.Response.StatusCode = status;
                if (status == 503) context.Response.Headers["Retry-After"] = "1";
                context.Response.Close();
                return Task.FromResult(0);
            };
            using (var server = new LocalServer(trigger))
            {
                var time = Stopwatch.StartNew();
                await Trigger.CallAsync(server.Url + "connectors/hook/con_1/token/");
                // Retry-After is one second. A timer may end some milliseconds early.
                Check.Equal(true, time.ElapsedMilliseconds >= 950);
                Check.Equal("503 202", string.Join(" ", responses));

                var error = Check.Throws<InvalidOperationException>(
                    () => Trigger.CallAsync(server.Url + "connectors/hook/con_1/replaced/").GetAwaiter().GetResult());
                Check.Equal(false, error.Message.Contains("replaced"));
                Check.Equal("503 202 404", string.Join(" ", responses));
            }
        }
    }
}
