<?php

declare(strict_types=1);

namespace Sitewire\Tests;

use PHPUnit\Framework\TestCase;
use Sitewire\Testing;

/** The README's code does what the README says. */
final class ReadmeTest extends TestCase
{
    private static string $folder;

    public static function setUpBeforeClass(): void
    {
        self::$folder = __DIR__ . '/../.work/readme';
        is_dir(self::$folder . '/vendor') || mkdir(self::$folder . '/vendor', recursive: true);
        file_put_contents(self::$folder . '/vendor/autoload.php', '<?php require "' . __DIR__ . '/bootstrap.php";');
        preg_match_all('/^```php (\w+)(?:\.php\n<\?php)?\n(.*?)^```/ms', file_get_contents(__DIR__ . '/../README.md'), $blocks);
        foreach (array_combine($blocks[1], $blocks[2]) as $name => $code) {
            file_put_contents(self::$folder . "/$name.php", "<?php\n$code");
        }
    }

    public function testThePlainReceiverTakesASignedDeliveryAndNoOther(): void
    {
        $server = new LocalServer(self::$folder . '/receiver.php', ['SITEWIRE_SECRETS' => 'old,new']);
        foreach (['new' => 204, 'forged' => 401] as $secret => $status) {
            ['body' => $body, 'headers' => $headers] = Testing::signDelivery(Testing::siteReady(), $secret);
            self::assertSame($status, $server->post($body, $headers)[0]);
        }
    }

    public function testTheExampleOfATestPasses(): void
    {
        $command = [PHP_BINARY, '-d', 'zend.assertions=1', '-r', 'require "vendor/autoload.php"; require "test.php";'];
        self::assertSame(0, proc_close(proc_open($command, [], $pipes, self::$folder)));
    }

    public function testTheTriggerIsCalledAgainAfter503ButNotAfter404(): void
    {
        require self::$folder . '/trigger.php';
        $calls = self::$folder . '/calls';
        @unlink($calls);
        $server = new LocalServer(__DIR__ . '/scripts/trigger.php', ['CALLS' => $calls]);
        $start = microtime(true);
        callTrigger("$server->url/connectors/hook/con_1/token/");
        self::assertGreaterThanOrEqual(1, microtime(true) - $start, 'Retry-After is one second.');
        self::assertSame("503\n202\n", file_get_contents($calls));

        try {
            callTrigger("$server->url/connectors/hook/con_1/replaced/");
            self::fail('A 404 was taken for a success.');
        } catch (\RuntimeException $error) {
            self::assertStringContainsString('404', $error->getMessage());
            self::assertStringNotContainsString('replaced', $error->getMessage());
        }
        self::assertSame("503\n202\n404\n", file_get_contents($calls));
    }
}
