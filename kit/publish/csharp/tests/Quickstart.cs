using System;
using System.Threading.Tasks;
using Confluent.Kafka;
using Sitewire.Publish;

public static class Quickstart
{
    public static async Task Run()
    {
        var config = new ClientConfig { BootstrapServers = Environment.GetEnvironmentVariable("KAFKA_BROKERS") };
        var topic = Environment.GetEnvironmentVariable("TOPIC_PREFIX") + "site.paid";
        using (var publisher = new SitePaidPublisher(config, topic))
        {
            var stored = await publisher.PublishAsync(new SitePaid
            {
                Id = "order-10042",
                Channel = "acme",
                Reference = "user-4711",
                SiteUrl = "https://bakery.example",
                ConsoleUrl = "https://console.example/bakery",
                Name = "Bakery",
                Email = "owner@bakery.example",
                CreatedAt = "2026-03-01T12:00:00+01:00",
            });
            Console.WriteLine($"order-10042 is stored: {stored}");
        }
    }
}
