<?php

declare(strict_types=1);

namespace Sitewire\Tests;

/** PHP's own web server with one script, until the object is destroyed. */
final class LocalServer
{
    public readonly string $url;

    /** @var resource */
    private $process;

    /** @param array<string, string> $environment */
    public function __construct(string $script, array $environment = [])
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $address = stream_socket_get_name($socket, false);
        fclose($socket);
        $this->url = "http://$address";
        // display_errors is on, as it is in a PHP without configuration.
        $command = [PHP_BINARY, '-d', 'display_errors=1', '-d', 'log_errors=0', '-S', $address, $script];
        $output = ['file', '/dev/null', 'w'];
        $this->process = proc_open($command, [1 => $output, 2 => $output], $pipes, null, $environment + getenv());
        while (!$connection = @stream_socket_client("tcp://$address")) {
            if (!proc_get_status($this->process)['running']) {
                throw new \RuntimeException('The server ended before it could be reached.');
            }
            usleep(10_000);
        }
        fclose($connection);
    }

    /**
     * @param array<string, string> $headers
     * @return array{int, string} the status and the content
     */
    public function post(string $body, array $headers): array
    {
        $lines = array_map(static fn ($name, $value) => "$name: $value", array_keys($headers), $headers);
        $options = ['method' => 'POST', 'header' => $lines, 'content' => $body, 'ignore_errors' => true];
        $content = file_get_contents($this->url, context: stream_context_create(['http' => $options]));
        return [(int) explode(' ', $http_response_header[0])[1], $content];
    }

    public function __destruct()
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }
}
