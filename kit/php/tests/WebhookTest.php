<?php

declare(strict_types=1);

namespace Sitewire\Tests;

use PHPUnit\Framework\TestCase;
use Sitewire\Fault;
use Sitewire\Scheme;
use Sitewire\Testing;
use Sitewire\Webhook;
use Sitewire\WebhookError;

final class WebhookTest extends TestCase
{
    private const SECRET = 'sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';

    /** @dataProvider schemes */
    public function testAnyBytesThatAreSignedAreNoMismatch(Scheme $scheme): void
    {
        for ($round = 0; $round < 200; $round++) {
            $secret = random_bytes(random_int(1, 100));
            ['body' => $body, 'headers' => $headers] = Testing::signDelivery(self::randomBytes(), $secret);
            self::assertSame(Fault::InvalidBody, self::fault($body, $headers, [$secret], $scheme));
        }
    }

    /** @dataProvider schemes */
    public function testOneFlippedBitIsAMismatch(Scheme $scheme): void
    {
        ['body' => $body, 'headers' => $headers] = Testing::signDelivery(Testing::siteReady(), self::SECRET);
        for ($bit = 0; $bit < 8 * strlen($body); $bit++) {
            $changed = $body;
            $changed[$bit >> 3] = chr(ord($body[$bit >> 3]) ^ 1 << ($bit & 7));
            self::assertSame(Fault::Mismatch, self::fault($changed, $headers, [self::SECRET], $scheme));
        }
    }

    /** @dataProvider schemes */
    public function testRandomHeadersAreAFaultOfTheSender(Scheme $scheme): void
    {
        $genuine = Testing::signDelivery(Testing::siteReady(), self::SECRET)['headers'];
        $random = [
            static fn () => null,
            static fn () => [],
            static fn () => random_int(0, 9),
            static fn () => [['nested']],
            static fn () => self::randomBytes(),
            static fn (string $value) => [$value, $value],
            static fn (string $value) => strrev($value),
            static fn (string $value) => $value . "\n",
        ];
        for ($round = 0; $round < 500; $round++) {
            $change = static fn (string $value) => $random[array_rand($random)]($value);
            $headers = array_map($change, $genuine) + [self::randomBytes() => self::randomBytes(), 7 => 'x'];
            self::assertContains(
                self::fault('{}', $headers, [self::SECRET], $scheme),
                [Fault::Missing, Fault::Malformed, Fault::Outdated, Fault::Mismatch],
            );
        }
    }

    public static function schemes(): array
    {
        return array_map(static fn (Scheme $scheme) => [$scheme], Scheme::cases());
    }

    public function testHeadersOfFrameworksAreListsOfOneValue(): void
    {
        $site = Testing::siteReady(delivery: 'd1');
        ['body' => $body, 'headers' => $headers] = Testing::signDelivery($site, self::SECRET);
        $lists = array_map(static fn (string $value) => [$value], $headers);
        self::assertEquals($site, Webhook::constructEvent($body, $lists, [self::SECRET]));

        $signature = $headers['X-Sitewire-Signature'];
        $repeated = ['X-Sitewire-Signature' => [$signature, $signature]];
        self::assertSame(Fault::Malformed, self::fault($body, $repeated, [self::SECRET]));
        $twice = ['X-Sitewire-Signature' => $signature, 'x-sitewire-signature' => $signature];
        self::assertSame(Fault::Malformed, self::fault($body, $twice, [self::SECRET]));
    }

    /** @dataProvider nothing */
    public function testAHeaderWithoutAValueIsMissing(array $headers): void
    {
        self::assertSame(Fault::Missing, self::fault('{}', $headers, [self::SECRET]));
    }

    public static function nothing(): array
    {
        return array_map(
            static fn (mixed $value) => [['X-Sitewire-Signature' => $value]],
            ['null' => null, 'an empty text' => '', 'an empty list' => [], 'a list of null' => [null]],
        );
    }

    public function testAServiceOfAnotherNameHasAnotherHeader(): void
    {
        ['body' => $body, 'headers' => $headers] = Testing::signDelivery(Testing::siteReady(), self::SECRET);
        $headers = ['x-shop-signature' => $headers['X-Sitewire-Signature']];
        $event = Webhook::constructEvent($body, $headers, [self::SECRET], header: 'X-Shop-Signature');
        self::assertEquals(Testing::siteReady(), $event);
    }

    public function testTheToleranceCanBeChanged(): void
    {
        ['body' => $body, 'headers' => $headers] =
            Testing::signDelivery(Testing::siteReady(delivery: 'd1'), self::SECRET, timestamp: time() - 600);
        self::assertSame(Fault::Outdated, self::fault($body, $headers, [self::SECRET], Scheme::StandardWebhooks));
        $event = Webhook::constructEvent($body, $headers, [self::SECRET], Scheme::StandardWebhooks, 3_600);
        self::assertEquals(Testing::siteReady(delivery: 'd1'), $event);
    }

    /** @dataProvider faultsOfTheReceiver */
    public function testAFaultOfTheReceiverIsAnotherError(mixed $body, array $secrets, string $message): void
    {
        $headers = Testing::signDelivery(Testing::siteReady(), self::SECRET)['headers'];
        $this->expectException(\InvalidArgumentException::class);
        $this->expectExceptionMessage($message);
        Webhook::constructEvent($body, $headers, $secrets);
    }

    public static function faultsOfTheReceiver(): array
    {
        return [
            'no secret' => ['{}', [], 'No signing secret was given'],
            'an empty secret' => ['{}', [self::SECRET, ''], 'A signing secret is empty'],
            'a secret that is not text' => ['{}', [null], 'A signing secret is empty or not text'],
            'a parsed body' => [['event' => 'site.ready'], [self::SECRET], 'The body was parsed'],
        ];
    }

    public function testHostileInputEndsAsAFault(): void
    {
        $garbage = random_bytes(5 << 20);
        ['body' => $body, 'headers' => $headers] = Testing::signDelivery($garbage, self::SECRET);
        self::assertSame(Fault::InvalidBody, self::fault($body, $headers, [self::SECRET]));

        $nested = '{"event":"site.ready","x":' . str_repeat('[', 1 << 20) . str_repeat(']', 1 << 20) . '}';
        ['body' => $body, 'headers' => $headers] = Testing::signDelivery($nested, self::SECRET);
        self::assertSame(Fault::InvalidBody, self::fault($body, $headers, [self::SECRET]));

        $huge = ['webhook-signature' => str_repeat('v1,x ', 1 << 20) . 'v1,x'] + $headers;
        self::assertSame(Fault::Mismatch, self::fault($body, $huge, [self::SECRET], Scheme::StandardWebhooks));
        $huge = ['X-Sitewire-Signature' => 'sha256=' . str_repeat('0', 5 << 20)];
        self::assertSame(Fault::Malformed, self::fault($body, $huge, [self::SECRET]));
    }

    public function testNoErrorRepeatsTheRequestOrTheSecret(): void
    {
        $secret = 'the-secret-itself';
        $body = '{"event":"site.ready","email":"owner@bakery.example"}';
        $headers = Testing::signDelivery($body, $secret)['headers'];
        foreach ([[$secret], ['another-secret']] as $secrets) {
            try {
                Webhook::constructEvent($body, $headers, $secrets);
                self::fail('It was accepted.');
            } catch (WebhookError $error) {
                foreach (['bakery', 'secret-itself', 'another-secret', $headers['X-Sitewire-Signature']] as $content) {
                    self::assertStringNotContainsString($content, $error->getMessage());
                }
            }
        }
    }

    private static function fault(
        string $body,
        array $headers,
        array $secrets,
        Scheme $scheme = Scheme::Sitewire,
    ): ?Fault {
        try {
            Webhook::constructEvent($body, $headers, $secrets, $scheme);
            return null;
        } catch (WebhookError $error) {
            return $error->fault;
        }
    }

    private static function randomBytes(): string
    {
        return random_int(0, 9) === 0 ? '' : random_bytes(random_int(1, 300));
    }
}
