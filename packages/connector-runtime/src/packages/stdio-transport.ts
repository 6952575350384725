import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJSONRPCMessage } from '@modelcontextprotocol/client';
import type { Writable } from 'node:stream';
import { CallFailure } from '../failure.ts';
import { parsedMessage } from '../mcp/session-messages.ts';
import type { SessionMessages } from '../mcp/session-messages.ts';

const LINE_BREAK = 0x0a;
/** A line without an end; a server that sends more is refused. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** The client's end of the stdio transport (MCP, "Transports"): a message is one line of JSON. Other lines are dropped. */
export class StdioTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  readonly #session: SessionMessages;
  #stdin: Writable | undefined;
  #line: Buffer[] = [];
  #lineBytes = 0;
  /** Whether a call is running; messages between calls are dropped. */
  isBusy = true;

  constructor(session: SessionMessages) {
    this.#session = session;
  }

  /** Sets the server's standard input. */
  connectTo(stdin: Writable): void {
    this.#stdin = stdin;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(message);
  }

  close(): Promise<void> {
    this.#stdin?.end();
    this.onclose?.();
    return Promise.resolve();
  }

  /** Takes a part of the server's standard output. */
  read(chunk: Buffer): void {
    try {
      let start = 0;
      for (let end = chunk.indexOf(LINE_BREAK); end >= 0; end = chunk.indexOf(LINE_BREAK, start)) {
        this.#take(chunk.subarray(start, end));
        const line = Buffer.concat(this.#line).toString('utf8');
        this.#line = [];
        this.#lineBytes = 0;
        this.#receive(line);
        start = end + 1;
      }
      this.#take(chunk.subarray(start));
    } catch (error) {
      this.#session.breakOff(error);
    }
  }

  #take(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.#lineBytes > MAX_LINE_BYTES)
      throw new CallFailure('The MCP server sent a line that is too long.');
    // The program may use its buffer again.
    this.#line.push(Buffer.from(part));
  }

  #receive(line: string): void {
    if (!this.isBusy) return;
    this.#session.count(Buffer.from(line));
    const message = parsedMessage(line);
    if (message === undefined) return;
    const text = this.#session.passedOn(message, line, (answer) => this.#write(answer));
    if (text !== undefined) this.onmessage?.(parseJSONRPCMessage(JSON.parse(text)));
  }

  #write(message: object): Promise<void> {
    this.#stdin?.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }
}
