using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Sitewire.Tests
{
    /// <summary>The vectors that all languages share. The tests are run in the language's folder.</summary>
    internal sealed class VectorsTests
    {
        private const string Folder = "../vectors/";

        public Dictionary<string, Action> Delivery()
        {
            return Vectors("deliveries.json").Concat(Vectors("secrets.json")).ToDictionary(vector => (string)vector["name"], vector => (Action)(() =>
            {
                var options = new WebhookOptions { Scheme = Schemes.Parse((string)vector["scheme"]), Now = Now(vector) };
                var body = Convert.FromBase64String((string)vector["body"]);
                string outcome;
                try
                {
                    outcome = Fields(Json.Parse(System.Text.Encoding.UTF8.GetBytes(
                        Webhook.ConstructEvent(body, Headers(vector), Secrets(vector), options).ToJson())));
                }
                catch (WebhookException error)
                {
                    outcome = error.FaultName;
                }
                catch (ArgumentException)
                {
                    outcome = "refused";
                }
                var expected = vector.ContainsKey("fault") ? (string)vector["fault"] : "refused";
                Check.Equal(vector.ContainsKey("event") ? Fields(vector["event"]) : expected, outcome);
            }));
        }

        public Dictionary<string, Action> SourceRequest()
        {
            if (!File.Exists(Folder + "sources.json"))
                return new Dictionary<string, Action> { { "kit/vectors/sources.json is missing, so no request was verified", null } };
            return Vectors("sources.json").ToDictionary(vector => (string)vector["name"], vector => (Action)(() =>
            {
                var fault = "none";
                try
                {
                    Webhook.VerifySourceRequest(
                        (string)vector["method"], (string)vector["url"], Headers(vector), Secrets(vector),
                        new WebhookOptions { Now = Now(vector) });
                }
                catch (WebhookException error)
                {
                    fault = error.FaultName;
                }
                Check.Equal(vector.ContainsKey("fault") ? (string)vector["fault"] : "none", fault);
            }));
        }

        private static IEnumerable<Dictionary<string, object>> Vectors(string file)
        {
            return ((List<object>)Json.Parse(File.ReadAllBytes(Folder + file))).Cast<Dictionary<string, object>>();
        }

        private static DateTimeOffset Now(Dictionary<string, object> vector)
        {
            return DateTimeOffset.FromUnixTimeSeconds((long)(double)vector["now"]);
        }

        private static IEnumerable<string> Secrets(Dictionary<string, object> vector)
        {
            return ((List<object>)vector["secrets"]).Cast<string>();
        }

        private static Dictionary<string, string> Headers(Dictionary<string, object> vector)
        {
            return ((Dictionary<string, object>)vector["headers"]).ToDictionary(header => header.Key, header => (string)header.Value);
        }

        private static string Fields(object value)
        {
            return string.Join("\n", ((Dictionary<string, object>)value).Select(field => field.Key + "=" + field.Value));
        }
    }
}
