using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Confluent.Kafka;

namespace Sitewire.Publish
{
    /// <summary>
    /// Publishes site.paid with the event's id as the key, acks=all and idempotence. One for a process is enough, and
    /// threads can share it.
    /// </summary>
    public sealed class SitePaidPublisher : IDisposable
    {
        private readonly IProducer<string, string> _producer;
        private readonly string _topic;

        /// <summary>Starts a producer, which connects in the background.</summary>
        /// <param name="config">
        /// Settings such as the brokers and the login. Settings that this class needs, such as acks, replace yours.
        /// </param>
        /// <param name="topic">The TOPIC_PREFIX of the installation and <c>site.paid</c>.</param>
        /// <exception cref="ArgumentException">A setting is invalid.</exception>
        public SitePaidPublisher(IEnumerable<KeyValuePair<string, string>> config, string topic = "site.paid")
        {
            _producer = new ProducerBuilder<string, string>(Complete(config)).Build();
            _topic = topic;
        }

        internal static ProducerConfig Complete(IEnumerable<KeyValuePair<string, string>> config)
        {
            var complete = new ProducerConfig { MessageTimeoutMs = 40_000 };
            foreach (var setting in config) complete.Set(setting.Key, setting.Value);
            complete.Acks = Acks.All;
            complete.EnableIdempotence = true;
            complete.CompressionType = CompressionType.None;
            complete.AllowAutoCreateTopics = false;
            // As Kafka's own client, so that an event has the same partition in every language.
            complete.Partitioner = Partitioner.Murmur2Random;
            return complete;
        }

        /// <summary>Ends when all in-sync replicas have stored the event.</summary>
        /// <param name="event">The event.</param>
        /// <param name="correlation">
        /// Null, or 1 to 200 printable ASCII characters, which follow the event through all log lines.
        /// </param>
        /// <param name="traceparent">Null, or your trace, which the delivery continues (W3C Trace Context).</param>
        /// <param name="cancellation">Ends the wait. The event may be stored all the same.</param>
        /// <returns>Where the record is stored.</returns>
        /// <exception cref="InvalidSitePaidException">A field breaks a rule. Nothing was sent.</exception>
        /// <exception cref="KafkaException">
        /// There was no acknowledgement after 40 s (<c>message.timeout.ms</c>). The event may be stored all the same:
        /// publish the same event again, because a second one with the same id is ignored.
        /// </exception>
        public async Task<TopicPartitionOffset> PublishAsync(
            SitePaid @event,
            string correlation = null,
            string traceparent = null,
            CancellationToken cancellation = default(CancellationToken))
        {
            var fields = Rules.SitePaid.Check(@event.Values());
            var given = new Dictionary<string, object> { ["correlation"] = correlation, ["traceparent"] = traceparent };
            var headers = new Headers();
            foreach (var header in Rules.Headers.Check(given))
            {
                headers.Add(header.Key, Encoding.ASCII.GetBytes(header.Value));
            }
            var message = new Message<string, string> { Key = fields["id"], Value = ToJson(fields), Headers = headers };
            var stored = await _producer.ProduceAsync(_topic, message, cancellation).ConfigureAwait(false);
            return stored.TopicPartitionOffset;
        }

        /// <summary>Waits up to 40 s for events that are being published, and disconnects.</summary>
        public void Dispose()
        {
            _producer.Flush(TimeSpan.FromSeconds(40));
            _producer.Dispose();
        }

        private static string ToJson(Dictionary<string, string> fields) =>
            "{" + string.Join(",", fields.Select(field => Quote(field.Key) + ":" + Quote(field.Value))) + "}";

        private static string Quote(string text)
        {
            var quoted = new StringBuilder("\"");
            foreach (var one in text)
            {
                if (one == '"' || one == '\\') quoted.Append('\\').Append(one);
                else if (one < ' ') quoted.Append("\\u").Append(((int)one).ToString("x4"));
                else quoted.Append(one);
            }
            return quoted.Append('"').ToString();
        }
    }
}
