using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace Sitewire
{
    /// <summary>How a request shows that it was signed with one of the secrets.</summary>
    internal static class Signature
    {
        private const string Encoded = "whsec_";

        /// <summary>The HMAC key of each secret.</summary>
        /// <exception cref="ArgumentException">There is no secret, or one is unusable.</exception>
        internal static IReadOnlyList<byte[]> Keys(IEnumerable<string> secrets)
        {
            var list = secrets?.ToList() ?? new List<string>();
            if (list.Count == 0)
                throw new ArgumentException("No signing secret was given, so nothing can be verified. Pass the channel's secret.");
            return list.Select(Key).ToList();
        }

        private static byte[] Key(string secret)
        {
            // HMAC accepts an empty key: if an unset variable were read as "", anybody could sign.
            if (string.IsNullOrEmpty(secret))
                throw new ArgumentException(
                    "A signing secret is empty, so anybody could sign. Check the setting that it comes from.");
            if (!secret.StartsWith(Encoded, StringComparison.Ordinal)) return Encoding.UTF8.GetBytes(secret);
            // The form that libraries of Standard Webhooks take.
            var text = secret.Substring(Encoded.Length);
            var key = new byte[0];
            try
            {
                key = Convert.FromBase64String(text);
            }
            catch (FormatException)
            {
            }
            // Compared, because white space is ignored.
            if (key.Length > 0 && Convert.ToBase64String(key) == text) return key;
            throw new ArgumentException(
                "A signing secret begins with whsec_, but the rest is not base64. Pass it exactly as it was shown, in either form.");
        }

        internal static string OfBody(byte[] key, byte[] body)
        {
            return "sha256=" + BitConverter.ToString(Hmac(key, body)).Replace("-", "").ToLowerInvariant();
        }

        internal static string OfStandardWebhooks(byte[] key, string id, string timestamp, byte[] body)
        {
            var start = Encoding.UTF8.GetBytes(id + "." + timestamp + ".");
            return "v1," + Convert.ToBase64String(Hmac(key, start.Concat(body).ToArray()));
        }

        internal static void VerifySitewire(
            byte[] body, IEnumerable<KeyValuePair<string, string>> headers, IReadOnlyList<byte[]> keys, string header)
        {
            var signature = Read(headers, header)[0];
            if (!Regex.IsMatch(signature, @"^sha256=[0-9a-f]{64}\z"))
                throw Malformed(header + " is not `sha256=` and 64 lowercase hexadecimal digits");
            RequireMatch(new[] { signature }, keys.Select(key => OfBody(key, body)));
        }

        internal static void VerifyStandardWebhooks(
            byte[] body, IEnumerable<KeyValuePair<string, string>> headers, IReadOnlyList<byte[]> keys, WebhookOptions options)
        {
            var values = Read(headers, "webhook-id", "webhook-timestamp", "webhook-signature");
            string id = values[0], timestamp = values[1];
            var signatures = values[2].Split(' ');
            // A full stop in the id would let the same text be divided in another way.
            if (id.Contains(".")) throw Malformed("webhook-id contains a full stop");
            if (!Regex.IsMatch(timestamp, @"^[0-9]{1,10}\z")) throw Malformed("webhook-timestamp is not 1 to 10 digits");
            if (!signatures.All(one => Regex.IsMatch(one, @"^v[0-9]+[a-z]?,\S+\z")))
                throw Malformed("webhook-signature is not `version,signature`, or several with a space between");

            var now = (options.Now ?? DateTimeOffset.UtcNow).ToUnixTimeSeconds();
            if (Math.Abs(now - long.Parse(timestamp, CultureInfo.InvariantCulture)) > options.Tolerance.TotalSeconds)
                throw new WebhookException(
                    Fault.Outdated,
                    "The signed time is more than " + options.Tolerance.TotalSeconds + " seconds from this machine's clock: a "
                        + "captured request may have been sent again. Respond 401, and check that the clock is synchronised.");
            RequireMatch(signatures, keys.Select(key => OfStandardWebhooks(key, id, timestamp, body)));
        }

        internal static string DeliveryId(IEnumerable<KeyValuePair<string, string>> headers, WebhookOptions options)
        {
            return options.Scheme == Scheme.StandardWebhooks
                ? Once(headers, "webhook-id")
                : Beside(headers, options.Header, "Delivery").Value;
        }

        /// <summary>Another header of the service, such as X-Sitewire-Delivery beside X-Sitewire-Signature.</summary>
        internal static KeyValuePair<string, string> Beside(
            IEnumerable<KeyValuePair<string, string>> headers, string signature, string word)
        {
            var name = Regex.Replace(signature, @"-signature\z", "-" + word, RegexOptions.IgnoreCase);
            return new KeyValuePair<string, string>(name, name == signature ? "" : Once(headers, name));
        }

        /// <summary>An empty text if the header is not there once.</summary>
        private static string Once(IEnumerable<KeyValuePair<string, string>> headers, string name)
        {
            var values = headers.Where(header => string.Equals(header.Key, name, StringComparison.OrdinalIgnoreCase)).ToList();
            return values.Count == 1 ? values[0].Value ?? "" : "";
        }

        /// <summary>The values of the headers, which must each be there once.</summary>
        private static List<string> Read(IEnumerable<KeyValuePair<string, string>> headers, params string[] names)
        {
            var found = headers.ToLookup(header => header.Key, header => header.Value, StringComparer.OrdinalIgnoreCase);
            foreach (var name in names)
            {
                if (found[name].All(string.IsNullOrEmpty) && found[name].Count() < 2)
                    throw new WebhookException(
                        Fault.Missing,
                        "The header " + name + " is missing or empty, so nothing shows who sent the request. Respond 401. If "
                            + "Sitewire sent it, check that no proxy removes the header, and that this is its name.");
            }
            foreach (var name in names)
            {
                if (found[name].Count() > 1) throw Malformed(name + " is not one text");
            }
            return names.Select(name => found[name].Single()).ToList();
        }

        // Compares each pair in constant time, even after a match: the time taken must not reveal which one matched.
        private static void RequireMatch(IEnumerable<string> given, IEnumerable<string> expected)
        {
            var matches = false;
            foreach (var one in expected)
            {
                foreach (var other in given) matches |= FixedTimeEquals(one, other);
            }
            if (!matches)
                throw new WebhookException(
                    Fault.Mismatch,
                    "No secret gives this signature: the request was changed on the way, or signed with another secret. "
                        + "Respond 401. If Sitewire sent it, verify the raw bytes as they arrived, and check the secret.");
        }

        // .NET Standard 2.0 and Mono have no CryptographicOperations.FixedTimeEquals. Without optimisation, no compiler ends the
        // loop early.
        [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
        private static bool FixedTimeEquals(string expected, string given)
        {
            if (expected.Length != given.Length) return false;
            var difference = 0;
            for (var i = 0; i < expected.Length; i++) difference |= expected[i] ^ given[i];
            return difference == 0;
        }

        private static byte[] Hmac(byte[] key, byte[] bytes)
        {
            using (var hmac = new HMACSHA256(key)) return hmac.ComputeHash(bytes);
        }

        private static WebhookException Malformed(string what)
        {
            return new WebhookException(
                Fault.Malformed,
                "The header " + what + ": Sitewire did not write it, or a proxy changed it. Respond 401. Nothing is trimmed.");
        }
    }
}
