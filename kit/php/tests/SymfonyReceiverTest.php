<?php

declare(strict_types=1);

namespace Sitewire\Tests;

use PHPUnit\Framework\TestCase;
use Sitewire\Scheme;
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

        self::assertSame(204, $this->respond(Testing::signDelivery(Testing::siteReady(), 'secret'))->getStatusCode());
        self::assertEquals([Testing::siteReady()], $this->received);
    }

    public function testAnOldDeliveryIsOutdatedWithStandardWebhooks(): void
    {
        $old = Testing::signDelivery(Testing::siteReady(), 'secret', timestamp: time() - 900);
        self::assertSame('{"fault":"outdated"}', $this->respond($old, Scheme::StandardWebhooks)->getContent());
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

    private function respond(array $delivery, Scheme $scheme = Scheme::Sitewire): Response
    {
        return $this->receiver($scheme)($this->request($delivery));
    }

    private function receiver(Scheme $scheme = Scheme::Sitewire): SymfonyReceiver
    {
        $store = function (SiteReady $event): void {
            $this->received[] = $event;
        };
        return new SymfonyReceiver(['secret'], $store, $scheme);
    }

    private function request(array $delivery): Request
    {
        $request = Request::create('/sitewire', 'POST', content: $delivery['body']);
        $request->headers->add($delivery['headers']);
        return $request;
    }
}
