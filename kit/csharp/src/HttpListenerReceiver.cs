using System;
using System.Collections.Generic;
using System.Net;
using System.Text;
using System.Threading.Tasks;

namespace Sitewire
{
    /// <summary>A receiver for <see cref="HttpListener"/>.</summary>
    public sealed class HttpListenerReceiver : WebhookReceiver
    {
        /// <param name="secrets">The channel's signing secrets; during a rotation, the old and the new one.</param>
        /// <param name="onSiteReady">Is called with each verified event; then the response is 204.</param>
        /// <param name="options">How to verify; null: the defaults.</param>
        /// <exception cref="ArgumentException">A secret is unusable, or there is none.</exception>
        public HttpListenerReceiver(
            IEnumerable<string> secrets, Func<SiteReady, Task> onSiteReady, WebhookOptions options = null)
            : base(secrets, onSiteReady, options)
        {
        }

        /// <param name="secrets">Is called now and for each request, so that a rotation needs no restart.</param>
        /// <param name="onSiteReady">Is called with each verified event; then the response is 204.</param>
        /// <param name="options">How to verify; null: the defaults.</param>
        /// <exception cref="ArgumentException">A secret is unusable, or there is none.</exception>
        public HttpListenerReceiver(
            Func<IEnumerable<string>> secrets, Func<SiteReady, Task> onSiteReady, WebhookOptions options = null)
            : base(secrets, onSiteReady, options)
        {
        }

        /// <summary>
        /// Reads the request and sends the response. Errors of the receiver and of its function are thrown, so that the caller
        /// can log them; the response is then 500, so the delivery is retried.
        /// </summary>
        public async Task RespondAsync(HttpListenerContext context)
        {
            var response = context.Response;
            response.StatusCode = 500;
            try
            {
                var headers = Webhook.Headers(context.Request.Headers);
                Action<string, string> setHeader = (name, value) => response.Headers[name] = value;
                var outcome = await ReceiveAsync(context.Request.InputStream, headers, setHeader).ConfigureAwait(false);
                response.StatusCode = outcome.Key;
                if (outcome.Value == null) return;
                response.ContentType = "application/json";
                var content = Encoding.UTF8.GetBytes(outcome.Value);
                await response.OutputStream.WriteAsync(content, 0, content.Length).ConfigureAwait(false);
            }
            finally
            {
                response.Close();
            }
        }
    }
}
