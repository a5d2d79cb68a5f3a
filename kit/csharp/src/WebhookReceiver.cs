using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

namespace Sitewire
{
    /// <summary>What the receivers for the different servers have in common.</summary>
    public abstract class WebhookReceiver
    {
        private readonly Func<IEnumerable<string>> secrets;
        private readonly Func<SiteReady, Task> onSiteReady;
        private readonly WebhookOptions options;

        /// <summary>With secrets that stay the same.</summary>
        /// <exception cref="ArgumentException">A secret is unusable, or there is none.</exception>
        private protected WebhookReceiver(
            IEnumerable<string> secrets, Func<SiteReady, Task> onSiteReady, WebhookOptions options)
        {
            var usable = secrets?.ToList();
            Signature.Keys(usable);
            this.secrets = () => usable;
            this.onSiteReady = onSiteReady ?? throw new ArgumentNullException(nameof(onSiteReady));
            this.options = options ?? new WebhookOptions();
        }

        /// <summary>With secrets that are asked for now and for each request.</summary>
        /// <exception cref="ArgumentException">A secret is unusable, or there is none.</exception>
        private protected WebhookReceiver(
            Func<IEnumerable<string>> secrets, Func<SiteReady, Task> onSiteReady, WebhookOptions options)
            : this(secrets(), onSiteReady, options)
        {
            this.secrets = secrets;
        }

        /// <summary>The largest body in bytes.</summary>
        public int Limit { get; set; } = 65536;

        /// <summary>Reads and verifies the request, and calls the function.</summary>
        /// <param name="body">That of the request.</param>
        /// <param name="headers">Those of the request.</param>
        /// <param name="setHeader">Sets a header of the response.</param>
        /// <returns>The status, and the content as JSON or null.</returns>
        private protected async Task<KeyValuePair<int, string>> ReceiveAsync(
            Stream body, IEnumerable<KeyValuePair<string, string>> headers, Action<string, string> setHeader)
        {
            var rawBody = await ReadAsync(body).ConfigureAwait(false);
            if (rawBody == null) return new KeyValuePair<int, string>(413, null);
            SiteReady site;
            try
            {
                site = Webhook.ConstructEvent(rawBody, headers, secrets(), options);
            }
            catch (WebhookException error)
            {
                var status = error.Fault == Fault.InvalidBody ? 400 : 401;
                return new KeyValuePair<int, string>(status, "{\"fault\":\"" + error.FaultName + "\"}");
            }
            await onSiteReady(site).ConfigureAwait(false);
            // The service sends it to a new address: who returns it agrees to get deliveries there.
            var challenge = Signature.Beside(headers, options.Header, "Challenge");
            if (Regex.IsMatch(challenge.Value, @"^[A-Za-z0-9_-]{1,200}\z")) setHeader(challenge.Key, challenge.Value);
            return new KeyValuePair<int, string>(204, null);
        }

        /// <returns>The bytes, or null if there are more than the limit.</returns>
        private async Task<byte[]> ReadAsync(Stream body)
        {
            var bytes = new MemoryStream();
            var buffer = new byte[8192];
            int read;
            while ((read = await body.ReadAsync(buffer, 0, buffer.Length).ConfigureAwait(false)) > 0)
            {
                if (bytes.Length + read > Limit) return null;
                bytes.Write(buffer, 0, read);
            }
            return bytes.ToArray();
        }
    }
}
