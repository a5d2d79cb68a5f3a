<?php

declare(strict_types=1);

namespace Sitewire\Tests;

use PHPUnit\Framework\TestCase;
use Sitewire\Webhook;
use Sitewire\WebhookError;

/** The vectors that all languages share. */
final class VectorsTest extends TestCase
{
    private const FOLDER = __DIR__ . '/../../vectors/';

    /** @dataProvider deliveries */
    public function testDelivery(array $vector): void
    {
        try {
            $outcome = Webhook::constructEvent(
                base64_decode($vector['body'], true),
                $vector['headers'],
                $vector['secrets'],
            )->jsonSerialize();
        } catch (WebhookError $error) {
            $outcome = $error->fault->value;
        } catch (\InvalidArgumentException) {
            $outcome = true;
        }
        self::assertSame($vector['event'] ?? $vector['fault'] ?? $vector['refused'], $outcome, $vector['why']);
    }

    public static function deliveries(): array
    {
        $vectors = self::vectors('deliveries.json') + self::vectors('secrets.json');
        // Those of the scheme standard-webhooks are for its own libraries.
        return array_filter($vectors, static fn (array $one) => $one[0]['scheme'] === 'sitewire');
    }

    /** @dataProvider sources */
    public function testSourceRequest(?array $vector): void
    {
        if ($vector === null) {
            self::markTestSkipped('kit/vectors/sources.json is missing, so no request to a source was verified.');
        }
        try {
            Webhook::verifySourceRequest(
                $vector['method'],
                $vector['url'],
                $vector['headers'],
                $vector['secrets'],
                now: $vector['now'],
            );
            $fault = null;
        } catch (WebhookError $error) {
            $fault = $error->fault->value;
        }
        self::assertSame($vector['fault'] ?? null, $fault, $vector['why']);
    }

    public static function sources(): array
    {
        return file_exists(self::FOLDER . 'sources.json') ? self::vectors('sources.json') : [[null]];
    }

    private static function vectors(string $file): array
    {
        $vectors = json_decode(file_get_contents(self::FOLDER . $file), true, flags: JSON_THROW_ON_ERROR);
        return array_map(static fn (array $vector) => [$vector], array_column($vectors, null, 'name'));
    }
}
