<?php

declare(strict_types=1);

namespace Sitewire\Tests;

use PHPUnit\Framework\TestCase;
use Sitewire\SiteReady;
use Sitewire\SymfonyReceiver;
use Sitewire\Testing;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

final class SymfonyReceiverTest extends TestCase
{
    /** @var list<SiteReady> */
    private array $received = [];

    public function testAGenuineDeliveryIsReceivedAndAForgedOneIsNot(): void
    {
        $forged = $this->respond(Testing::signDelivery(Testing::siteReady(), 'forged'));
        self::assertSame([401, '{"fault":"mismatch"}'], [$forged->getStatusCode(), $forged->getContent()]);
        self::assertSame('application/json', $forged->headers->get('Content-Type'));
        self::assertSame(400, $this->respond(Testing::signDelivery('{}', 'secret'))->getStatusCode());
        $large = Testing::signDelivery(str_repeat(' ', 65_537), 'secret');
        self::assertSame(413, $this->respond($large)->getStatusCode());
        self::assertSame([], $this->received);

        $site = Testing::siteReady(delivery: 'd1');
        self::assertSame(204, $this->respond(Testing::signDelivery($site, 'secret'))->getStatusCode());
        self::assertEquals([$site], $this->received);
    }

    public function testTheEventHasTheIdOfItsDelivery(): void
    {
        ['body' => $body, 'headers' => $headers] = Testing::signDelivery(Testing::siteReady(), 'secret', 'd1');
        $signature = $headers['X-Sitewire-Signature'];
        $changed = ['X-Sitewire-Delivery' => 'd2'] + $headers;
        $renamed = ['X-Acme-Signature' => $signature, 'X-Acme-Delivery' => 'd3'] + $headers;
        $deliveries = [
            [$changed, []],
            [$renamed, ['header' => 'x-acme-signature']],
            [['X-Proof' => $signature] + $headers, ['header' => 'X-Proof']],
            [array_diff_key($headers, ['X-Sitewire-Delivery' => '']), []],
        ];
        $received = [];
        foreach ($deliveries as [$given, $options]) {
            $store = static function (SiteReady $event) use (&$received): void {
                $received[] = $event->delivery;
            };
            (new SymfonyReceiver(['secret'], $store, ...$options))($this->request(['body' => $body, 'headers' => $given]));
        }
        self::assertSame(['d2', 'd3', '', ''], $received);
    }

    public function testTheChallengeOfANewAddressIsReturnedIfTheDeliveryIsGenuine(): void
    {
        foreach ([['X-Sitewire-Challenge', []], ['X-Acme-Challenge', ['header' => 'X-Acme-Signature']]] as [$name, $options]) {
            $receiver = new SymfonyReceiver(['secret'], static fn () => null, ...$options);
            foreach ([['secret', 'Ab_9-', 'Ab_9-'], ['secret', 'a, b', null], ['forged', 'Ab_9-', null]] as $case) {
                [$secret, $challenge, $returned] = $case;
                $delivery = Testing::signDelivery(Testing::siteReady(), $secret);
                $delivery['headers']['X-Acme-Signature'] = $delivery['headers']['X-Sitewire-Signature'];
                $delivery['headers'][$name] = $challenge;
                self::assertSame($returned, $receiver($this->request($delivery))->headers->get($name));
            }
        }
    }

    public function testEachSignedDeliveryHasAGreaterId(): void
    {
        $ids = array_map(
            static fn () => Testing::signDelivery(Testing::siteReady(), 'secret')['headers']['X-Sitewire-Delivery'],
            range(1, 99),
        );
        $sorted = array_unique($ids);
        sort($sorted);
        self::assertSame($sorted, $ids);
        self::assertMatchesRegularExpression('/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}\z/', $ids[0]);
        self::assertEqualsWithDelta(time(), hexdec(substr(str_replace('-', '', $ids[0]), 0, 12)) / 1_000, 60);
    }

    public function testABodyThatTheFrameworkHasReadIsStillVerified(): void
    {
        $request = $this->request(Testing::signDelivery(Testing::siteReady(), 'secret'));
        $request->getContent();
        self::assertSame(204, $this->receiver()($request)->getStatusCode());
    }

    public function testAnErrorOfTheFunctionGoesToTheFramework(): void
    {
        $receiver = new SymfonyReceiver(['secret'], static fn () => throw new \LogicException('not stored'));
        $this->expectExceptionMessage('not stored');
        $receiver($this->request(Testing::signDelivery(Testing::siteReady(), 'secret')));
    }

    private function respond(array $delivery): Response
    {
        return $this->receiver()($this->request($delivery));
    }

    private function receiver(): SymfonyReceiver
    {
        $store = function (SiteReady $event): void {
            $this->received[] = $event;
        };
        return new SymfonyReceiver(['secret'], $store);
    }

    private function request(array $delivery): Request
    {
        $request = Request::create('/sitewire', 'POST', content: $delivery['body']);
        $request->headers->add($delivery['headers']);
        return $request;
    }
}
