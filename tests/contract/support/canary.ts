import { documents, logs, metricPages } from '../../observability/support/evidence.ts';
import { findSecrets } from '../../observability/support/search.ts';
import type { Evidence, PlantedSecret } from '../../observability/support/search.ts';
import { secretsOfStack } from '../../observability/support/stack-secrets.ts';
import type { DevStack } from '../../setup/dev-stack.ts';
import { answersOf, readExchanges, secretsOf } from './exchange-secrets.ts';

/** Where a run left its traces. */
export interface Traces {
  readonly stack: DevStack;
  /** The folder of the stack's data and logs. */
  readonly data: string;
  /** The file of the run's exchanges with the API. */
  readonly exchanges: string;
  /** Every message that the services sent one another. */
  readonly messages: readonly Evidence[];
}

/** What a search for secrets found. */
export interface Findings {
  /** How many secrets were looked for. */
  readonly secrets: number;
  /** How many bytes were looked through. */
  readonly bytes: number;
  /** Where one of them is that has no business to be there; a line each. */
  readonly leaks: readonly string[];
}

/** The start of every private key as text, whichever it is. */
const PRIVATE_KEY: PlantedSecret = { name: 'a private key', value: 'PRIVATE KEY-----' };

/** A private JSON Web Key, as JSON and as a member of a document: its name, four bytes of length, and its value. */
const PRIVATE_JWK = /"d":"[\w-]{43,}"|[^ -~]d[^ -~][\s\S]{4}[\w-]{43,}[^ -~]/;

/** Everything that a run left: logs, metrics, documents, messages and answers. */
export async function evidenceOf(traces: Traces): Promise<Evidence[]> {
  const { stack, data, exchanges, messages } = traces;
  return [
    ...(await logs(data)),
    ...(await metricPages(stack)),
    ...(await documents(stack.mongodbUri)),
    ...messages,
    ...answersOf(readExchanges(exchanges), stack.baseUrl),
  ];
}

/**
 * Looks for every secret that a run sent or got, in every form, in all logs, metrics, messages and documents of its stack
 * and in every answer but the one that gave it out.
 */
export async function findLeaks(traces: Traces): Promise<Findings> {
  const { stack, data, exchanges } = traces;
  const sent = secretsOf(readExchanges(exchanges), stack.baseUrl);
  const secrets = [...(await secretsOfStack(data, stack)), ...sent, PRIVATE_KEY];
  const evidence = await evidenceOf(traces);
  const keys = evidence.filter(({ bytes }) => PRIVATE_JWK.test(bytes.toString('latin1')));
  return {
    secrets: secrets.length,
    bytes: evidence.reduce((sum, { bytes }) => sum + bytes.length, 0),
    leaks: [
      ...findSecrets(secrets, evidence),
      ...keys.map(({ place }) => `a private JSON Web Key in ${place}`),
    ],
  };
}
