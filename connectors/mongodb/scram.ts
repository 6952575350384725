import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Binary } from 'bson';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { BsonDocument } from './wire.ts';

const derive = promisify(pbkdf2);

/** Maximum number of hash iterations that a server may require for a login. MongoDB's default is 15 000. */
const MAX_SCRAM_ITERATIONS = 100_000;
const MIN_ITERATIONS = 4_096;
const ASCII = /^[\x20-\x7e]*$/;

/** A mechanism of login (RFC 5802, RFC 7677). */
type ScramMechanism = 'SCRAM-SHA-256' | 'SCRAM-SHA-1';

/** The user of a login. */
export interface ScramLogin {
  readonly user: string;
  readonly password: string;
  readonly mechanism: ScramMechanism;
}

/** Sends a command to the user's authentication database; resolves to the reply. Throws HandlerError if the server refuses it. */
type Send = (command: BsonDocument) => Promise<BsonDocument>;

/**
 * Logs in without sending the password; the server has to prove that it knows the password, too. Throws HandlerError if the server does not
 * follow the protocol; `send` throws if the server refuses the login.
 */
export async function logInByScram(send: Send, { user, password, mechanism }: ScramLogin): Promise<void> {
  const algorithm = mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha1';
  const nonce = randomBytes(24).toString('base64');
  const name = user.replaceAll('=', '=3D').replaceAll(',', '=2C');
  const clientFirst = `n=${name},r=${nonce}`;
  const options = { skipEmptyExchange: true };
  const first = await send({ saslStart: 1, mechanism, payload: payloadOf(`n,,${clientFirst}`), options });
  const serverFirst = textOf(first);
  const { r: bothNonces = '', s: salt = '', i: iterations = '' } = attributesOf(serverFirst);
  const times = Number(iterations);
  if (!bothNonces.startsWith(nonce) || bothNonces === nonce || !(times >= MIN_ITERATIONS)) throw notScram();
  if (times > MAX_SCRAM_ITERATIONS)
    throw new HandlerError(`The server asks for more than ${MAX_SCRAM_ITERATIONS} SCRAM iterations.`);
  const secret = await secretOf(user, password, mechanism);
  const salted = await derive(
    secret,
    Buffer.from(salt, 'base64'),
    times,
    algorithm === 'sha256' ? 32 : 20,
    algorithm,
  );
  const hmac = (key: Buffer, text: string): Buffer => createHmac(algorithm, key).update(text).digest();
  const clientKey = hmac(salted, 'Client Key');
  const withoutProof = `c=biws,r=${bothNonces}`;
  const exchange = `${clientFirst},${serverFirst},${withoutProof}`;
  const signature = hmac(createHash(algorithm).update(clientKey).digest(), exchange);
  const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
  const conversationId: unknown = first['conversationId'];
  const last = await send({
    saslContinue: 1,
    conversationId,
    payload: payloadOf(`${withoutProof},p=${proof.toString('base64')}`),
  });
  const proven = Buffer.from(attributesOf(textOf(last))['v'] ?? '', 'base64');
  const expected = hmac(hmac(salted, 'Server Key'), exchange);
  if (proven.length !== expected.length || !timingSafeEqual(proven, expected))
    throw new HandlerError('The server cannot prove that it knows the user.');
  if (last['done'] === true) return;
  const end = await send({ saslContinue: 1, conversationId, payload: payloadOf('') });
  if (end['done'] !== true) throw notScram();
}

async function secretOf(user: string, password: string, mechanism: ScramMechanism): Promise<string> {
  if (mechanism === 'SCRAM-SHA-1') return createHash('md5').update(`${user}:mongo:${password}`).digest('hex');
  if (ASCII.test(password)) return password;
  // Loaded on demand, because its tables are large and few passwords need them.
  const { saslprep } = await import('@mongodb-js/saslprep');
  return saslprep(password);
}

function payloadOf(text: string): Binary {
  return new Binary(Buffer.from(text));
}

function textOf({ payload }: BsonDocument): string {
  if (!(payload instanceof Binary)) throw notScram();
  return Buffer.from(payload.buffer).toString();
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(',').map((attribute) => [attribute.slice(0, 1), attribute.slice(2)] as const),
  );
}

function notScram(): HandlerError {
  return new HandlerError('The server does not follow the MongoDB protocol: its login is not a SCRAM login.');
}
