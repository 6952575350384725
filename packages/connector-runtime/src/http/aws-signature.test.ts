import { expect, it } from 'vitest';
import { signForAws } from './aws-signature.ts';

const signer = {
  accessKeyId: 'AKIDEXAMPLE0000000',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'eu-central-1',
};
const NOW = new Date('2026-11-29T12:34:56Z');

/** Expected signatures, computed by botocore 1.44.8 for the same requests, keys and time. */
it.each([
  [
    'a body with other characters and two spaces',
    'sqs',
    'POST',
    'https://sqs.eu-central-1.amazonaws.com/',
    { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.SendMessage' },
    '{"QueueUrl":"q","MessageBody":"größe  a"}',
    'content-type;host;x-amz-date;x-amz-target',
    'eb84f4ebae4959fb5d05ec9bdd00a82de288dfa275fdfae1b2d45c151eeb8954',
  ],
  [
    'a path that is encoded already',
    'lambda',
    'GET',
    'https://lambda.eu-central-1.amazonaws.com/2015-03-31/functions/arn%3Aaws%3Alambda%3Aeu-central-1%3A1%3Afunction%3Af%20(1)/versions?Marker=a%2Bb%3D&MaxItems=50',
    {},
    '',
    'host;x-amz-date',
    'b7d2221c2a7618f3ff2990790026371706533c81bfcd8d53483f7310c4e817af',
  ],
  [
    'a path with an apostrophe',
    'ses',
    'DELETE',
    "https://email.eu-central-1.amazonaws.com/v2/email/suppression/addresses/o'neil%2Bx%40example.com",
    {},
    '',
    'host;x-amz-date',
    '0ab6e9d812823675c460e1c14e6131d4a14b0fdd3e2ff284407852c01f70cae3',
  ],
  [
    'an object whose key has slashes',
    's3',
    'PUT',
    'https://s3.eu-central-1.amazonaws.com/bucket/a%20b/%C3%BC%21%28x%29%2A.txt',
    { 'content-type': 'text/plain' },
    'hello',
    'content-type;host;x-amz-content-sha256;x-amz-date',
    '63e326ca502bf9d9b8f951506bc9857d74ed95b0659056adc8ceeedde026e74a',
  ],
  [
    'a query in no order',
    's3',
    'GET',
    'https://s3.eu-central-1.amazonaws.com/bucket?list-type=2&prefix=a%20b%2F&delimiter=%2F&continuation-token=x%3D&empty=',
    {},
    '',
    'host;x-amz-content-sha256;x-amz-date',
    'aee04e2d5f8a5c3779924e43ab7c090d43c9b4a2783d694832fe7d564e231495',
  ],
  [
    'a port, equal names in the query, and a header with spaces',
    'sqs',
    'GET',
    'https://sqs.eu-central-1.amazonaws.com:8443/?b=2&a=2&a=1&A=~',
    { 'x-amz-note': '  two   spaces ' },
    '',
    'host;x-amz-date;x-amz-note',
    '92b563223b2b1ce3ce9aa0ee3e36fd8849adaae06c311f23eacf0fa9537855cd',
  ],
])('signs %s', (_name, service, method, url, headers, body, names, signature) => {
  const request = { method, url: new URL(url), headers, body: Buffer.from(body) };
  const signed = signForAws(request, { ...signer, service }, NOW);
  expect(signed.headers).toMatchObject({
    'x-amz-date': '20261129T123456Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE0000000/20261129/eu-central-1/${service}/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
  });
});

it('refuses a key that would lead to another object', () => {
  const url = new URL('https://s3.eu-central-1.amazonaws.com/bucket/a%2F..%2F..%2Fother%2Fb');
  const sign = () =>
    signForAws({ method: 'GET', url, headers: {}, body: Buffer.alloc(0) }, { ...signer, service: 's3' }, NOW);
  expect(sign).toThrow('must not hold the segments');
});

it('sends the address in the spelling that was signed, and signs again in place of a former signature', () => {
  const sign = (url: string, headers: Record<string, string> = {}) =>
    signForAws(
      { method: 'GET', url: new URL(url), headers, body: Buffer.alloc(0) },
      { ...signer, service: 's3' },
      NOW,
    );
  const first = sign("https://s3.eu-central-1.amazonaws.com/b/a%2Fb(1)'?b=x+y&a=*");
  expect(first.url.href).toBe('https://s3.eu-central-1.amazonaws.com/b/a/b%281%29%27?a=%2A&b=x%20y');
  expect(sign(first.url.href, first.headers)).toEqual(first);
});
