using System;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.Linq;
using System.Text;

namespace Sitewire
{
    /// <summary>Verifies what Sitewire sends: deliveries to a receiver, and requests to a data source.</summary>
    public static class Webhook
    {
        /// <summary>Verifies a delivery and reads its event.</summary>
        /// <param name="rawBody">The bytes as they arrived, before any parser.</param>
        /// <param name="headers">Names in any case. A header that came twice is in it twice.</param>
        /// <param name="secrets">The channel's signing secrets; during a rotation, the old and the new one.</param>
        /// <param name="options">How to verify; null: the defaults.</param>
        /// <exception cref="WebhookException">
        /// The sender's fault: respond 400 to <see cref="Fault.InvalidBody"/>, otherwise 401.
        /// </exception>
        /// <exception cref="ArgumentException">The receiver's fault: a secret is unusable, or an argument is null.</exception>
        public static SiteReady ConstructEvent(
            byte[] rawBody,
            IEnumerable<KeyValuePair<string, string>> headers,
            IEnumerable<string> secrets,
            WebhookOptions options = null)
        {
            var keys = Signature.Keys(secrets);
            if (rawBody == null)
                throw new ArgumentNullException(nameof(rawBody), "Pass the bytes of the body, as they arrived: they are signed.");
            if (headers == null) throw new ArgumentNullException(nameof(headers));
            options = options ?? new WebhookOptions();
            if (options.Scheme == Scheme.Sitewire) Signature.VerifySitewire(rawBody, headers, keys, options.Header);
            else Signature.VerifyStandardWebhooks(rawBody, headers, keys, options);
            return SiteReady.FromJson(rawBody, Signature.DeliveryId(headers, options));
        }

        /// <summary>Verifies a request to your API, the source of a connection.</summary>
        /// <param name="method">The request's method, such as <c>GET</c>.</param>
        /// <param name="url">
        /// The connection's source exactly as Sitewire has it; behind a proxy, a server may see another one.
        /// </param>
        /// <param name="headers">Names in any case. A header that came twice is in it twice.</param>
        /// <param name="secrets">The connection's signing secrets; during a replacement, the old and the new one.</param>
        /// <param name="options">The tolerance and, for tests, the time; null: the defaults.</param>
        /// <exception cref="WebhookException">The sender's fault: respond 401.</exception>
        /// <exception cref="ArgumentException">The receiver's fault: a secret is unusable, or an argument is null.</exception>
        public static void VerifySourceRequest(
            string method,
            string url,
            IEnumerable<KeyValuePair<string, string>> headers,
            IEnumerable<string> secrets,
            WebhookOptions options = null)
        {
            var keys = Signature.Keys(secrets);
            if (headers == null) throw new ArgumentNullException(nameof(headers));
            var signed = Encoding.UTF8.GetBytes("\"" + method + " " + url + "\"");
            Signature.VerifyStandardWebhooks(signed, headers, keys, options ?? new WebhookOptions());
        }

        /// <summary>The headers of an <c>HttpListenerRequest</c>, for the functions above.</summary>
        public static IEnumerable<KeyValuePair<string, string>> Headers(NameValueCollection headers)
        {
            return headers.AllKeys.Select(name => new KeyValuePair<string, string>(name, headers[name]));
        }
    }
}
