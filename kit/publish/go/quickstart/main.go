package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	publish "github.com/sitewire/sitewire-publish-go"
	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	brokers := strings.Split(os.Getenv("KAFKA_BROKERS"), ",")
	topic := os.Getenv("TOPIC_PREFIX") + "site.paid"
	publisher, err := publish.NewSitePaidPublisher(topic, kgo.SeedBrokers(brokers...))
	if err != nil {
		log.Fatal(err)
	}
	defer publisher.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	event := publish.SitePaid{
		ID:         "order-10042",
		Channel:    "acme",
		Reference:  "user-4711",
		SiteURL:    "https://bakery.example",
		ConsoleURL: "https://console.example/bakery",
		Name:       "Bakery",
		Email:      "owner@bakery.example",
		CreatedAt:  "2026-03-01T12:00:00+01:00",
	}
	stored, err := publisher.Publish(ctx, event, publish.Headers{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s is stored: %+v\n", event.ID, stored)
}
