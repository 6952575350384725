import type { AuthenticationMethod, Connector, FieldDescriptor } from '../model.ts';
import type { Json } from '../json.ts';
import { speaksMcp } from './speaks-mcp.ts';
import { requiresOAuthSignIn } from '../model.ts';
import { templateParts } from '../template.ts';
import { oauth2Problems } from './oauth2.ts';
import { duplicates } from './problem.ts';
import type { Problem } from './problem.ts';

/** The problems of the authentication methods, individually and together. */
export function methodProblems(connector: Connector): readonly Problem[] {
  const methods = connector.authenticationMethods;
  const problems: Problem[] = duplicates(methods.map((method) => method.authenticationId)).map(
    ({ index, value }) => ({
      path: ['authenticationMethods', index, 'authenticationId'],
      message: `${String(value)} is the id of another method`,
    }),
  );
  const defaults = methods.filter((method) => method.isDefault).length;
  if (defaults !== 1) {
    problems.push({
      path: ['authenticationMethods'],
      message: `exactly one must have isDefault, but ${String(defaults)} have it`,
    });
  }
  problems.push(...kindProblems(connector));
  methods.forEach((method, index) => {
    for (const { path, message } of oneMethodProblems(method)) {
      problems.push({ path: ['authenticationMethods', index, ...path], message });
    }
  });
  return problems;
}

function kindProblems(connector: Connector): readonly Problem[] {
  const { kind, authenticationMethods } = connector;
  const isKey = authenticationMethods.every((method) => method.scheme.type === 'apiKey');
  if ((kind === 'Key') !== isKey) {
    const message = isKey
      ? 'must be Key, because every method is an API key'
      : 'may be Key only if every method is an API key';
    return [{ path: ['kind'], message }];
  }
  return authenticationMethods.flatMap((method, index): readonly Problem[] => {
    const path = ['authenticationMethods', index];
    if (!speaksMcp(connector)) {
      return method.test?.type === 'mcp'
        ? [{ path: [...path, 'test'], message: 'may be mcp only in connectors of kind MCPClient' }]
        : [];
    }
    const hasServerUrl = method.fields.some((field) => field.name === 'serverUrl' && field.isRequired);
    return [
      ...(hasServerUrl
        ? []
        : [{ path: [...path, 'fields'], message: "must have the required field 'serverUrl'" }]),
      ...(method.test?.type === 'mcp' ? [] : [{ path: [...path, 'test'], message: 'must be of type mcp' }]),
    ];
  });
}

function oneMethodProblems(method: AuthenticationMethod): readonly Problem[] {
  return [
    ...duplicates(method.fields.map((field) => field.name)).map(({ index, value }) => ({
      path: ['fields', index, 'name'],
      message: `'${value}' is the name of another field`,
    })),
    ...slotDuplicates(method.fields),
    ...method.fields.flatMap((field, index) =>
      fieldProblems(field, method).map(({ path, message }) => ({
        path: ['fields', index, ...path],
        message,
      })),
    ),
    ...secretProblems(method),
    ...(method.scheme.type === 'oauth2'
      ? oauth2Problems(method.scheme, method.fields).map(({ path, message }) => ({
          path: ['scheme', ...path],
          message,
        }))
      : []),
  ];
}

function slotDuplicates(fields: readonly FieldDescriptor[]): readonly Problem[] {
  return duplicates(fields.map((field) => field.providerSlot ?? undefined)).flatMap(({ index, value }) =>
    value === undefined
      ? []
      : [{ path: ['fields', index, 'providerSlot'], message: `${value} already holds another field` }],
  );
}

function fieldProblems(field: FieldDescriptor, method: AuthenticationMethod): readonly Problem[] {
  const problems: Problem[] = [];
  const isSelect = field.type === 'select';
  if (isSelect && field.options.length === 0 && field.dynamicOptions === null) {
    problems.push({ path: ['options'], message: 'a select field needs options or dynamicOptions' });
  }
  if (!isSelect && (field.options.length > 0 || field.dynamicOptions !== null)) {
    problems.push({ path: ['type'], message: 'must be select, because the field has options' });
  }
  for (const { index, value } of duplicates(field.options.map((option) => option.value))) {
    problems.push({
      path: ['options', index, 'value'],
      message: `'${value}' is the value of another option`,
    });
  }
  if (field.defaultValue !== null && !isValueOf(field, field.defaultValue)) {
    problems.push({ path: ['defaultValue'], message: 'is not a valid value of the field' });
  }
  if (isSecret(field) && field.defaultValue !== null) {
    problems.push({ path: ['defaultValue'], message: 'a secret must not have a default' });
  }
  if (field.providerSlot !== null && method.scheme.type !== 'oauth2') {
    problems.push({
      path: ['providerSlot'],
      message: 'only fields of OAuth 2 methods may be set on a provider',
    });
  }
  if (requiresOAuthSignIn(method)) {
    if ((field.providerSlot ?? field.dynamicOptions ?? field.capturedFrom) === null && !field.atSignIn) {
      problems.push({
        path: [],
        message:
          'a field of a sign-in needs a providerSlot, dynamicOptions, atSignIn or capturedFrom to get a value',
      });
    }
  } else if (field.dynamicOptions !== null) {
    problems.push({ path: ['dynamicOptions'], message: 'options are discovered only during a sign-in' });
  }
  return problems;
}

function isValueOf(field: FieldDescriptor, value: Json): boolean {
  if (field.type === 'json') return true;
  if (field.type === 'select') return field.options.some((option) => option.value === value);
  return typeof value === field.type;
}

/** A field that a scheme sends as its secret must be declared secret, or it would be returned and logged in plain text. */
function secretProblems(method: AuthenticationMethod): readonly Problem[] {
  const secretTemplate = secretTemplateOf(method);
  if (secretTemplate === undefined) return [];
  const names = templateParts(secretTemplate).flatMap((part) =>
    'placeholder' in part && part.placeholder.root === 'field' ? [part.placeholder.name] : [],
  );
  return method.fields.flatMap((field, index) =>
    names.includes(field.name) && !isSecret(field)
      ? [
          {
            path: ['fields', index],
            message: 'is sent as the secret, so it must have isPassword or maskInLogs',
          },
        ]
      : [],
  );
}

function secretTemplateOf({ scheme }: AuthenticationMethod): string | undefined {
  if (scheme.type === 'apiKey') return scheme.value;
  if (scheme.type === 'basic') return scheme.password;
  if (scheme.type === 'bearer') return scheme.token;
  if (scheme.type === 'awsSigV4') return scheme.secretAccessKey;
  return scheme.type === 'oauth2' ? `{{field.${scheme.clientSecretField}}}` : undefined;
}

function isSecret(field: FieldDescriptor): boolean {
  return field.isPassword || field.maskInLogs;
}
