import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

const MIB = 1024 * 1024;
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

/** Writes `text` again and again until the client closes the connection. */
function endlessly(socket: Socket, text: string): void {
  const block = Buffer.from(text.repeat(Math.ceil(MIB / text.length)));
  const write = (): void => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('drain', write);
  write();
}

/** Writes `text` `times` times, one byte at a time, each in its own packet as far as the kernel allows. */
export function drip(socket: Socket, text: string, times: number): void {
  socket.setNoDelay(true);
  let left = times;
  const write = (): void => {
    for (let burst = 0; burst < 10 && left > 0; burst += 1, left -= 1) socket.write(text);
    if (left > 0 && !socket.destroyed) setImmediate(write);
  };
  write();
}

/** Writes a response with a body in this coding. */
export function encoded(socket: Socket, coding: string, body: Buffer): void {
  socket.write(`${OK}content-encoding: ${coding}\r\ncontent-length: ${body.length}\r\n\r\n`);
  socket.write(body);
}

/** 64 MiB of zeros, compressed. */
export const BOMB = gzipSync(Buffer.alloc(64 * MIB));

/** An empty deflate block that is not the last one. */
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** A response that would be expensive without limits: its description, the code of the error that ends it, and how it is sent. */
export type CostlyResponse = readonly [name: string, code: string, answer: (socket: Socket) => void];

/** A response for each way to make reading expensive. */
export const COSTLY_RESPONSES: readonly CostlyResponse[] = [
  [
    'interim responses without end',
    'invalid_response',
    (socket) => endlessly(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  ],
  [
    'a status line without end',
    'headers_too_large',
    (socket) => {
      socket.write('HTTP/1.1 200 ');
      endlessly(socket, 'a');
    },
  ],
  [
    'headers without end',
    'headers_too_large',
    (socket) => {
      socket.write(OK);
      endlessly(socket, 'a:\r\n');
    },
  ],
  [
    'short headers in a response that ends',
    'headers_too_large',
    (socket) => socket.write(`${OK}${'a: b\r\n'.repeat(1_100)}content-length: 0\r\n\r\n`),
  ],
  [
    'cookies without end',
    'headers_too_large',
    (socket) => {
      socket.write(OK);
      endlessly(socket, 'set-cookie: a=b\r\n');
    },
  ],
  [
    'chunks of one byte',
    'invalid_response',
    (socket) => {
      socket.write(CHUNKED);
      endlessly(socket, '1\r\na\r\n');
    },
  ],
  [
    'the extension of a chunk without end',
    'invalid_response',
    (socket) => {
      socket.write(`${CHUNKED}1;`);
      endlessly(socket, 'a');
    },
  ],
  [
    'trailers without end',
    'invalid_response',
    (socket) => {
      socket.write(`${CHUNKED}0\r\n`);
      endlessly(socket, 'a:\r\n');
    },
  ],
  [
    'a body in packets of one byte',
    'invalid_response',
    (socket) => {
      socket.write(`${OK}content-length: 1000000\r\n\r\n`);
      drip(socket, 'a', 1_000_000);
    },
  ],
  ['no HTTP at all', 'invalid_response', (socket) => endlessly(socket, 'SSH-2.0-OpenSSH\r\n')],
  [
    'a body without end',
    'response_too_large',
    (socket) => {
      socket.write(`${OK}\r\n`);
      endlessly(socket, 'a');
    },
  ],
  [
    'a body that is encoded twice',
    'invalid_response',
    (socket) => encoded(socket, 'gzip, gzip', gzipSync(BOMB)),
  ],
  [
    'an encoded body that yields nothing',
    'response_too_large',
    (socket) => {
      socket.write(`${OK}content-encoding: gzip\r\n\r\n`);
      socket.write(gzipSync('').subarray(0, 10));
      const blocks = EMPTY_BLOCK.toString('latin1').repeat(MIB / 4);
      const block = Buffer.from(blocks, 'latin1');
      const write = (): void => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on('drain', write);
      write();
    },
  ],
];
