<?php

declare(strict_types=1);

namespace Sitewire\Tests;

use PHPUnit\Framework\TestCase;
use Sitewire\PhpReceiver;
use Sitewire\Testing;

final class PhpReceiverTest extends TestCase
{
    private const SCRIPT = __DIR__ . '/scripts/receiver.php';

    public function testTheResponseTellsTheFault(): void
    {
        $server = new LocalServer(self::SCRIPT, ['SECRETS' => 'old,new']);
        $post = static fn (array $delivery) => $server->post($delivery['body'], $delivery['headers']);

        self::assertSame([204, ''], $post(Testing::signDelivery(Testing::siteReady(), 'old')));
        self::assertSame([204, ''], $post(Testing::signDelivery(Testing::siteReady(), 'new')));
        $forged = Testing::signDelivery(Testing::siteReady(), 'forged');
        self::assertSame([401, '{"fault":"mismatch"}'], $post($forged));
        self::assertSame([401, '{"fault":"missing"}'], $server->post('{}', ['Content-Type' => 'application/json']));
        self::assertSame([400, '{"fault":"invalid-body"}'], $post(Testing::signDelivery('{}', 'new')));
        $large = str_repeat(' ', 65_536);
        self::assertSame([400, '{"fault":"invalid-body"}'], $post(Testing::signDelivery($large, 'new')));
        self::assertSame([413, ''], $post(Testing::signDelivery("$large ", 'new')));
    }

    public function testAFailureIsNotASuccessEvenIfErrorsAreDisplayed(): void
    {
        $failing = Testing::signDelivery(Testing::siteReady(name: 'fail'), 'secret');
        $server = new LocalServer(self::SCRIPT, ['SECRETS' => 'secret']);
        self::assertSame(500, $server->post($failing['body'], $failing['headers'])[0]);

        $server = new LocalServer(self::SCRIPT, ['SECRETS' => '']);
        self::assertSame(500, $server->post($failing['body'], $failing['headers'])[0]);
    }

    public function testAnEmptySecretStopsTheApplication(): void
    {
        $this->expectException(\InvalidArgumentException::class);
        new PhpReceiver([''], static fn () => null);
    }
}
