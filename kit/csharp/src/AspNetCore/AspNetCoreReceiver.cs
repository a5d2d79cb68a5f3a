using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;

namespace Sitewire
{
    /// <summary>
    /// A receiver for ASP.NET Core: <c>app.MapPost("/webhook", receiver.RespondAsync)</c>. Errors of the receiver and of its function
    /// are thrown, so that ASP.NET Core logs them and responds 500.
    /// </summary>
    public sealed class AspNetCoreReceiver : WebhookReceiver
    {
        /// <param name="secrets">The channel's signing secrets; during a rotation, the old and the new one.</param>
        /// <param name="onSiteReady">Is called with each verified event; then the response is 204.</param>
        /// <param name="options">How to verify; null: the defaults.</param>
        /// <exception cref="ArgumentException">A secret is unusable, or there is none.</exception>
        public AspNetCoreReceiver(
            IEnumerable<string> secrets, Func<SiteReady, Task> onSiteReady, WebhookOptions options = null)
            : base(secrets, onSiteReady, options)
        {
        }

        /// <param name="secrets">Is called now and for each request, so that a rotation needs no restart.</param>
        /// <param name="onSiteReady">Is called with each verified event; then the response is 204.</param>
        /// <param name="options">How to verify; null: the defaults.</param>
        /// <exception cref="ArgumentException">A secret is unusable, or there is none.</exception>
        public AspNetCoreReceiver(
            Func<IEnumerable<string>> secrets, Func<SiteReady, Task> onSiteReady, WebhookOptions options = null)
            : base(secrets, onSiteReady, options)
        {
        }

        /// <summary>Reads the request and sends the response. Nothing may have read the body before.</summary>
        public async Task RespondAsync(HttpContext context)
        {
            var headers = context.Request.Headers.SelectMany(
                header => header.Value.Select(value => new KeyValuePair<string, string>(header.Key, value)));
            Action<string, string> setHeader = (name, value) => context.Response.Headers[name] = value;
            var outcome = await ReceiveAsync(context.Request.Body, headers, setHeader).ConfigureAwait(false);
            context.Response.StatusCode = outcome.Key;
            if (outcome.Value == null) return;
            context.Response.ContentType = "application/json";
            var content = Encoding.UTF8.GetBytes(outcome.Value);
            await context.Response.Body.WriteAsync(content, 0, content.Length).ConfigureAwait(false);
        }
    }
}
