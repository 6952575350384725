import { expect, it } from 'vitest';
import { apiKeyMethod, getThing, problemsOf } from '../testing/manifest.ts';

const scheme = {
  type: 'awsSigV4',
  accessKeyId: 'id',
  secretAccessKey: '{{field.key}}',
  region: 'eu',
  service: 'sqs',
};

it('a key that signs requests is secret', () => {
  const method = (isPassword: boolean) => ({
    ...apiKeyMethod,
    fields: [{ ...apiKeyMethod.fields[0], isPassword }],
    scheme,
  });
  const problems = (isPassword: boolean) =>
    problemsOf({ kind: 'Regular', authenticationMethods: [method(isPassword)] }).map(({ path }) => path);
  expect(problems(false)).toContain('authenticationMethods[0].fields[0]');
  expect(problems(true)).not.toContain('authenticationMethods[0].fields[0]');
});

it('tools that differ by a fixed header send different requests', () => {
  const tool = (toolSlug: string, target: string) => ({
    ...getThing,
    toolSlug,
    request: { ...getThing.request, headers: { 'x-amz-target': target } },
  });
  const problems = (second: string) =>
    problemsOf({ tools: [tool('acme-get-thing', 'Get'), tool('acme-read-thing', second)] }).map(
      ({ message }) => message,
    );
  expect(problems('Read').join()).not.toContain('sends the same request');
  expect(problems('Get').join()).toContain('sends the same request as acme-get-thing');
});
