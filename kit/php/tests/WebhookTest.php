<?php

declare(strict_types=1);

namespace Sitewire\Tests;

use PHPUnit\Framework\TestCase;
use Sitewire\Fault;
use Sitewire\Testing;
use Sitewire\Webhook;
use Sitewire\WebhookError;

final class WebhookTest extends TestCase
{
    private const SECRET = 'sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
    /** Headers of a request to a source, with a signature that nobody made. */
    private const SOURCE = ['webhook-id' => '7_1', 'webhook-timestamp' => '1772366400', 'webhook-signature' => 'v1,x'];

    public function testAnyBytesThatAreSignedAreNoMismatch(): void
    {
        for ($round = 0; $round < 200; $round++) {
            $secret = random_bytes(random_int(1, 100));
            ['body' => $body, 'headers' => $headers] = Testing::signDelivery(self::randomBytes(), $secret);
            self::assertSame(Fault::InvalidBody, self::fault($body, $headers, [$secret]));
        }
    }

    public function testOneFlippedBitIsAMismatch(): void
    {
        ['body' => $body, 'headers' => $headers] = Testing::signDelivery(Testing::siteReady(), self::SECRET);
        for ($bit = 0; $bit < 8 * strlen($body); $bit++) {
            $changed = $body;
            $changed[$bit >> 3] = chr(ord($body[$bit >> 3]) ^ 1 << ($bit & 7));
            self::assertSame(Fault::Mismatch, self::fault($changed, $headers, [self::SECRET]));
        }
    }

    public function testRandomHeadersAreAFaultOfTheSender(): void
    {
        $genuine = Testing::signDelivery(Testing::siteReady(), self::SECRET)['headers'] + self::SOURCE;
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
            $faults = [Fault::Missing, Fault::Malformed, Fault::Outdated, Fault::Mismatch];
            self::assertContains(self::fault('{}', $headers, [self::SECRET]), $faults);
            self::assertContains(self::faultOfSource($headers), $faults);
        }
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
        self::assertSame(Fault::Outdated, self::faultOfSource(self::SOURCE));
        self::assertSame(Fault::Mismatch, self::faultOfSource(self::SOURCE, 301));
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

        $huge = ['webhook-signature' => str_repeat('v1,x ', 1 << 20) . 'v1,x'] + self::SOURCE;
        self::assertSame(Fault::Mismatch, self::faultOfSource($huge, 3_600));
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

    private static function fault(string $body, array $headers, array $secrets): ?Fault
    {
        return self::faultOf(static fn () => Webhook::constructEvent($body, $headers, $secrets));
    }

    private static function faultOfSource(array $headers, int $toleranceSeconds = 300): ?Fault
    {
        $url = 'https://api.partner.example/items';
        $now = (int) self::SOURCE['webhook-timestamp'] + 301;
        return self::faultOf(
            static fn () => Webhook::verifySourceRequest('GET', $url, $headers, [self::SECRET], $toleranceSeconds, $now),
        );
    }

    private static function faultOf(\Closure $verify): ?Fault
    {
        try {
            $verify();
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
