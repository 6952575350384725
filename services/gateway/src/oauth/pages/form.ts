import type { IncomingMessage } from 'node:http';

/** More than the longest e-mail address, password and ticket together. */
const MAX_FORM_BYTES = 16 * 1024;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** A form that is not read. */
export class FormError extends Error {
  override readonly name = 'FormError';
  /** 403, 413 or 415. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The fields of a form that a page of ours posted. Throws a FormError for one of another site (403), of another content type
 * (415) and of more than 16 KiB (413).
 */
export async function readForm(request: IncomingMessage, publicOrigin: string): Promise<URLSearchParams> {
  if (!isOurOwn(request, publicOrigin)) throw new FormError(403, 'The form was sent by another site.');
  if (!FORM_TYPE.test(request.headers['content-type'] ?? ''))
    throw new FormError(415, 'The form has another content type than forms have.');
  // Refused before it is read; Node throws away what the client still sends when the answer is out.
  if (Number(request.headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw tooLarge();
  return new URLSearchParams(await readText(request));
}

/**
 * Browsers say where a form comes from: Sec-Fetch-Site on secure origins, Origin elsewhere, which is `null` for pages that
 * send no referrer, as ours. What says nothing is no browser of these days; the token in the form decides.
 */
function isOurOwn({ headers }: IncomingMessage, publicOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  return origin === undefined || origin === 'null' || origin === publicOrigin;
}

function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_FORM_BYTES) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge());
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}

function tooLarge(): FormError {
  return new FormError(413, 'The form is too large.');
}
