using System;
using System.Collections.Generic;
using System.IO;
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
        /// <exception cref="ArgumentException">A secret is empty, or there is none.</exception>
        private protected WebhookReceiver(
            IEnumerable<string> secrets, Func<SiteReady, Task> onSiteReady, WebhookOptions options)
        {
            var usable = Signature.RequireSecrets(secrets);
            this.secrets = () => usable;
            this.onSiteReady = onSiteReady ?? throw new ArgumentNullException(nameof(onSiteReady));
            this.options = options ?? new WebhookOptions();
        }

        /// <summary>With secrets that are asked for now and for each request.</summary>
        /// <exception cref="ArgumentException">A secret is empty, or there is none.</exception>
        private protected WebhookReceiver(
            Func<IEnumerable<string>> secrets, Func<SiteReady, Task> onSiteReady, WebhookOptions options)
            : this(secrets(), onSiteReady, options)
        {
            this.secrets = secrets;
        }

        /// <summary>The largest body in bytes.</summary>
        public int Limit { get; set; } = 65536;

        /// <summary>Reads and verifies the request, and calls the function.</summary>
        /// <returns>The status, and the content as JSON or null.</returns>
        private protected async Task<KeyValuePair<int, string>> ReceiveAsync(
            Stream body, IEnumerable<KeyValuePair<string, string>> headers)
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
