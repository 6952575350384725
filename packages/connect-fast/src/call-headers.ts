import type { IncomingHttpHeaders } from 'node:http';

/**
 * The headers of a call and of its response. They are created on first access, because a Headers object with ten
 * entries costs more than a small message.
 */
export class CallHeaders {
  readonly #sent: IncomingHttpHeaders;
  readonly #set = new Map<string, string>();
  #request: Headers | undefined;
  #response: Headers | undefined;
  #trailer: Headers | undefined;

  constructor(sent: IncomingHttpHeaders) {
    this.#sent = sent;
  }

  get request(): Headers {
    return (this.#request ??= toHeaders(this.#sent));
  }

  get response(): Headers {
    return (this.#response ??= new Headers([...this.#set]));
  }

  get trailer(): Headers {
    return (this.#trailer ??= new Headers());
  }

  /** Equals `request.get` for the sent headers. */
  get(name: string): string | null {
    const value = this.#sent[name.toLowerCase()];
    if (typeof value === 'string') return value;
    return value === undefined ? null : this.request.get(name);
  }

  /** Equals `response.set`; name and value must be valid. */
  set(name: string, value: string): void {
    if (this.#response === undefined) this.#set.set(name.toLowerCase(), value);
    else this.#response.set(name, value);
  }

  /** The response's headers and trailers, as Connect combines them in a unary response. */
  written(): Record<string, string> {
    const written: Record<string, string> = {};
    for (const [name, value] of this.#response ?? this.#set) written[name] = value;
    for (const [name, value] of this.#trailer ?? []) written[`trailer-${name}`] = value;
    return written;
  }
}

function toHeaders(from: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const name in from) {
    const value = from[name];
    if (typeof value === 'string') headers.append(name, value);
    else for (const one of value ?? []) headers.append(name, one);
  }
  return headers;
}
