import { wholePattern } from '../field-value.ts';
import { addressFields, hostUsesIn, methodUrls } from '../host-uses.ts';
import type { HostUse, UrlTemplate } from '../host-uses.ts';
import type { AuthenticationMethod, Connector, FieldDescriptor } from '../model.ts';
import { requiresOAuthSignIn } from '../model.ts';
import { placeholdersIn } from '../template.ts';
import { recipeRequests } from '../trigger-recipes.ts';
import { patternProblem } from './linear-pattern.ts';
import { under } from './problem.ts';
import type { Problem } from './problem.ts';

/** The problems of field sources, and of the addresses that contain such fields. */
export function fieldSourceProblems(connector: Connector): readonly Problem[] {
  return connector.authenticationMethods.flatMap((method, index) => [
    ...method.fields.flatMap((field, at) =>
      [...sourceProblems(field, method), ...validityProblems(field, method)].map(
        under(['authenticationMethods', index, 'fields', at]),
      ),
    ),
    ...(method.scheme.type === 'oauth2' ? availabilityProblems(connector, method) : []),
    ...hostProblems(connector, method),
  ]);
}

function sourceProblems(field: FieldDescriptor, method: AuthenticationMethod): readonly Problem[] {
  const isSignIn = requiresOAuthSignIn(method);
  const problems: Problem[] = [];
  const sources = [field.providerSlot, field.dynamicOptions, field.capturedFrom].filter(
    (source) => source !== null,
  ).length;
  if (sources + (field.atSignIn ? 1 : 0) > 1) {
    problems.push({
      path: [],
      message: 'may have only one of providerSlot, dynamicOptions, atSignIn and capturedFrom',
    });
  }
  if (field.atSignIn && !isSignIn) {
    problems.push({ path: ['atSignIn'], message: 'is only for methods with a sign-in' });
  }
  if (field.capturedFrom !== null) {
    if (method.scheme.type !== 'oauth2') {
      problems.push({ path: ['capturedFrom'], message: 'is only for OAuth 2 methods' });
    } else if (field.capturedFrom.type === 'callback' && !isSignIn) {
      problems.push({ path: ['capturedFrom'], message: 'may be callback only in methods with a sign-in' });
    }
    if (field.defaultValue !== null) {
      problems.push({ path: ['defaultValue'], message: 'what the vendor sends must not have a default' });
    }
  }
  if (field.atSignIn && field.type === 'json') {
    problems.push({ path: ['type'], message: 'must not be json, because addresses hold texts' });
  }
  if (field.capturedFrom !== null && field.type !== 'string' && field.type !== 'select') {
    problems.push({
      path: ['type'],
      message: 'must be string or select: what the vendor sends is kept as text',
    });
  }
  if (isSignIn && field.dynamicOptions !== null && (field.isPassword || field.maskInLogs)) {
    problems.push({ path: ['dynamicOptions'], message: 'the vendor lists the values, so none is a secret' });
  }
  return problems;
}

function validityProblems(field: FieldDescriptor, { scheme }: AuthenticationMethod): readonly Problem[] {
  const problems: Problem[] = [];
  const { pattern, allowedHosts } = field;
  for (const member of ['pattern', 'allowedHosts'] as const) {
    if ((field[member] ?? []).length > 0 && field.type !== 'string') {
      problems.push({ path: [member], message: 'is only for fields of type string' });
    }
  }
  const problem = pattern === null ? undefined : patternProblem(wholePattern(pattern));
  if (problem !== undefined) {
    problems.push({ path: ['pattern'], message: `is not known to be matched quickly: ${problem}` });
  }
  if (allowedHosts.includes('*') && scheme.type === 'oauth2' && field.providerSlot === null) {
    problems.push({
      path: ['allowedHosts'],
      message:
        "may be * only in a field with a providerSlot: the connector's own client must not be sent to any host",
    });
  }
  allowedHosts.forEach((host, at) => {
    if (host.startsWith('.') && !isSpecific(host)) {
      problems.push({ path: ['allowedHosts', at], message: 'must name a vendor, such as .vendor.com' });
    }
  });
  return problems;
}

/** A field in a URL must have its value before the URL is used. */
function availabilityProblems(connector: Connector, method: AuthenticationMethod): readonly Problem[] {
  return methodUrls(connector, method).flatMap(({ url, path }) =>
    placeholdersIn(url).flatMap(({ root, name }): readonly Problem[] => {
      const field = root === 'field' ? method.fields.find((each) => each.name === name) : undefined;
      if (field === undefined) return [];
      if (!field.isRequired && field.defaultValue === null && field.dynamicOptions === null) {
        return [
          { path, message: `needs {{field.${name}}}, so the field must be required or have a default` },
        ];
      }
      const member = path.at(-1);
      const isTooEarly =
        ((member === 'authorizationUrl' || member === 'pushedAuthorizationUrl') &&
          (field.capturedFrom ?? field.dynamicOptions) !== null) ||
        ((member === 'tokenUrl' || path.at(-2) === 'exchange') &&
          (field.capturedFrom?.type === 'tokenResponse' || field.dynamicOptions !== null));
      return isTooEarly
        ? [{ path, message: `{{field.${name}}} has no value yet when this address is used` }]
        : [];
    }),
  );
}

/** No value may lead a request outside the manifest's hosts. */
function hostProblems(connector: Connector, method: AuthenticationMethod): readonly Problem[] {
  const tools = connector.tools.flatMap(({ execution }, index): readonly UrlTemplate[] =>
    execution.type === 'http'
      ? [{ url: execution.request.url, path: ['tools', index, 'execution', 'request', 'url'] }]
      : [],
  );
  const triggers = connector.triggerTypes.flatMap((type, index): readonly UrlTemplate[] =>
    recipeRequests(type).map(({ path, request }) => ({
      url: request.url,
      path: ['triggerTypes', index, ...path, 'url'],
    })),
  );
  const addresses = addressFields(connector, method);
  return [...methodUrls(connector, method), ...tools, ...triggers].flatMap(({ url, path }) =>
    hostUsesIn(url).flatMap((use) => {
      const message = hostProblem(use, method, addresses);
      return message === undefined ? [] : [{ path, message }];
    }),
  );
}

function hostProblem(
  use: HostUse,
  method: AuthenticationMethod,
  addresses: ReadonlySet<string>,
): string | undefined {
  const { root, name } = use.placeholder;
  if (root !== 'field')
    return `{{${root}.${name}}} must not be in the host, because the credential is sent there`;
  if (!isPinned(use, method))
    return (
      `{{field.${name}}} can lead it to any host: end the host with a fixed suffix such as .vendor.com, ` +
      'give the field options, or declare its allowedHosts'
    );
  const field = method.fields.find((each) => each.name === name);
  // With other fields in its addresses, an auth provider could change its host without invalidating tokens that were
  // issued for the former host.
  return (field?.providerSlot ?? null) === null || addresses.has(name)
    ? undefined
    : `{{field.${name}}} has its value from an auth provider, so its allowedHosts must be declared`;
}

function isPinned({ placeholder, use, suffix }: HostUse, method: AuthenticationMethod): boolean {
  const field = method.fields.find(({ name }) => name === placeholder.name);
  // A tool works with every method of the connector. With a method without this field, the value would be missing,
  // and so would the request.
  if (field === undefined) return true;
  if (field.allowedHosts.length > 0) return true;
  if (field.type === 'select' && field.options.length > 0) return true;
  if (use === 'part') return isSpecific(suffix);
  // The account may send its own values to an address that it chose itself.
  return method.scheme.type !== 'oauth2';
}

/** Whether a host suffix belongs to a single vendor: a dot and at least two labels. */
function isSpecific(suffix: string): boolean {
  return /^[a-z0-9-]*(?:\.[a-z0-9-]+){2,}(?::\d+)?$/i.test(suffix);
}
