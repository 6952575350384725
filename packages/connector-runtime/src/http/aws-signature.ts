import { createHash, createHmac } from 'node:crypto';
import { CallFailure } from '../failure.ts';
import { withHeaders } from './headers.ts';
import { hasDotSegments } from './target.ts';
import type { Headers } from './headers.ts';

/** The keys of an AWS account, and the service that the request is sent to. */
export interface AwsSigner {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** Service name in the signature, such as `sqs`. */
  readonly service: string;
}

interface SignedRequest {
  readonly url: URL;
  readonly headers: Headers;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Signs a request with Signature Version 4 (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html): `host`,
 * the content type, the `x-amz-` headers, the path, the query and the body. Returns the URL with exactly the encoding
 * that was signed.
 */
export function signForAws(
  { method, url, headers, body }: SignedRequest & { readonly method: string; readonly body: Uint8Array },
  { accessKeyId, secretAccessKey, region, service }: AwsSigner,
  now: Date,
): SignedRequest {
  const isS3 = service === 's3';
  const time = now.toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const bodyHash = sha256(body);
  const added = { 'x-amz-date': time, ...(isS3 && { 'x-amz-content-sha256': bodyHash }) };
  const sent = withHeaders(headers, Object.entries(added));
  const target = new URL(url);
  const query = canonicalQuery(url);
  target.search = query;
  if (isS3) target.pathname = s3Path(url.pathname);
  const signed = Object.entries({ ...sent, host: target.host })
    .filter(([name]) => name === 'host' || name === 'content-type' || name.startsWith('x-amz-'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    // All services except S3 expect the path to be encoded twice.
    isS3 ? target.pathname : target.pathname.split('/').map(encode).join('/'),
    query,
    ...signed.map(([name, value]) => `${name}:${value.trim().replaceAll(/ +/g, ' ')}`),
    '',
    names,
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = [ALGORITHM, time, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  const authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { url: target, headers: withHeaders(sent, [['authorization', authorization]]) };
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a, first], [b, second]) => (a === b ? (first < second ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** The path of an S3 object, whose key may contain slashes. */
function s3Path(path: string): string {
  const decoded = path.split('/').map(decodeURIComponent).join('/');
  // URL parsing would resolve these segments to another object.
  if (hasDotSegments(path))
    throw new CallFailure('The key of an object must not hold the segments "." or "..".');
  return decoded.split('/').map(encode).join('/');
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
