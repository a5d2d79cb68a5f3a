using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Confluent.Kafka;
using Sitewire.Publish;

/// <summary>Runs the vectors: Tests VECTORS. Exits with 1 after a failure.</summary>
public static class Tests
{
    private static readonly ClientConfig Nowhere = new ClientConfig { BootstrapServers = "127.0.0.1:1" };
    private static int _passed;
    private static int _failed;

    public static int Main(string[] args)
    {
        var vectors = JsonDocument.Parse(File.ReadAllText(args[0])).RootElement.EnumerateArray().ToList();
        var valid = vectors.Where(vector => vector.GetProperty("field").ValueKind == JsonValueKind.Null).ToList();
        using (var publisher = new SitePaidPublisher(Nowhere))
        {
            foreach (var vector in vectors.Except(valid))
            {
                Test(vector.GetProperty("name").GetString(), () => RequireRefusal(vector, publisher));
            }
        }
        foreach (var vector in valid) Test(vector.GetProperty("name").GetString(), () => SitePaid.Of(Values(vector, "event")));
        Test("half of a surrogate pair is refused", () =>
        {
            var event_ = Values(valid[0], "event");
            event_["name"] = "\ud83e";
            Require(Refusal(() => SitePaid.Of(event_)).Field == "name", "the wrong field");
        });
        Test("acks, idempotence and compression cannot be changed", () =>
        {
            var own = new ProducerConfig { Acks = Acks.Leader, EnableIdempotence = false, CompressionType = CompressionType.Zstd };
            var complete = SitePaidPublisher.Complete(own);
            Require(complete.Acks == Acks.All && complete.EnableIdempotence == true, "they were changed");
            Require(complete.CompressionType == CompressionType.None, "the compression was changed");
        });
        var brokers = Environment.GetEnvironmentVariable("KAFKA_BROKERS");
        if (!string.IsNullOrEmpty(brokers))
        {
            Test("the quickstart", () => Quickstart.Run().GetAwaiter().GetResult());
            Test("the real broker stores every valid event", () => PublishAll(valid, brokers).GetAwaiter().GetResult());
        }
        Console.WriteLine($"{_passed} passed");
        return _failed == 0 ? 0 : 1;
    }

    private static async Task PublishAll(List<JsonElement> valid, string brokers)
    {
        var topic = Environment.GetEnvironmentVariable("TOPIC_PREFIX") + "site.paid";
        using (var publisher = new SitePaidPublisher(new ClientConfig { BootstrapServers = brokers }, topic))
        {
            var stored = await Task.WhenAll(valid.Select(vector => Publish(vector, publisher)));
            Require(stored.Distinct().Count() == valid.Count, "two events are stored in one place");
        }
    }

    private static Task<TopicPartitionOffset> Publish(JsonElement vector, SitePaidPublisher publisher)
    {
        var headers = Values(vector, "headers");
        headers.TryGetValue("correlation", out var correlation);
        headers.TryGetValue("traceparent", out var traceparent);
        var paid = SitePaid.Of(Values(vector, "event"));
        return publisher.PublishAsync(paid, (string)correlation, (string)traceparent);
    }

    private static void RequireRefusal(JsonElement vector, SitePaidPublisher publisher)
    {
        var field = vector.GetProperty("field").GetString();
        var refusal = Refusal(() => Publish(vector, publisher).GetAwaiter().GetResult());
        Require(refusal.Field == field, $"the refusal is of {refusal.Field}, not {field}");
        var form = $"^site.paid was not published: {field} [^.]+\\. [A-Z].+\\.$";
        Require(Regex.IsMatch(refusal.Message, form) && !refusal.Message.Contains("s3cret"), refusal.Message);
    }

    private static InvalidSitePaidException Refusal(Action action)
    {
        try
        {
            action();
        }
        catch (InvalidSitePaidException refusal)
        {
            return refusal;
        }
        throw new Exception("nothing was refused");
    }

    private static Dictionary<string, object> Values(JsonElement vector, string name)
    {
        if (!vector.TryGetProperty(name, out var values)) return new Dictionary<string, object>();
        return values.EnumerateObject().ToDictionary(one => one.Name, one => Plain(one.Value));
    }

    private static object Plain(JsonElement value)
    {
        if (value.ValueKind == JsonValueKind.Null) return null;
        return value.ValueKind == JsonValueKind.String ? (object)value.GetString() : value.GetDouble();
    }

    private static void Require(bool holds, string otherwise)
    {
        if (!holds) throw new Exception(otherwise);
    }

    private static void Test(string name, Action action)
    {
        try
        {
            action();
            _passed++;
        }
        catch (Exception failure)
        {
            _failed++;
            Console.WriteLine($"failed: {name}: {failure}");
        }
    }
}
