import type { JsonObject } from '@fairlead/connector-model/json';
import type { ConnectorHead, ResponseMapping, ToolExecution } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/egress/egress';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { ToolCall } from '../call.ts';
import { CallFailure } from '../failure.ts';
import { unbuiltResponse } from '../outputs/unbuilt-output.ts';
import type { UnbuiltOutput } from '../outputs/unbuilt-output.ts';
import { isObject } from '../templates.ts';
import { listQuery } from './list-query.ts';
import { firstPage, nextPosition, readWindow } from './paging.ts';
import type { HttpPaging, PageRequest, VendorPage, Window } from './paging.ts';
import { buildRequest, continueAt } from './request.ts';
import type { HttpRequest } from './request.ts';
import { mapListPage, mapResponse, requireSuccess } from './response.ts';
import type { ListPage } from './response.ts';
import type { Sender } from './send.ts';
import { trimmedItems } from './trimmed.ts';
import { fromXml } from './xml.ts';

type HttpExecution = Extract<ToolExecution, { readonly type: 'http' }>;

const DEFAULT_TOP = 100;

/** Runs an HTTP tool. A large output stays unparsed if `takesUnbuilt` is set. Throws CallFailure and EgressError. */
export async function callHttpTool(
  call: ToolCall,
  execution: HttpExecution,
  sender: Sender,
  takesUnbuilt = false,
): Promise<JsonObject | UnbuiltOutput> {
  const { connector } = call;
  const { response: mapping } = execution;
  if (mapping.type !== 'list') {
    const sent = await sendFollowing(connector, firstRequest(call, execution), execution, sender);
    const response = isWhole(mapping) ? sent : fromXml(connector, sent);
    const unbuilt = takesUnbuilt ? unbuiltOutput(connector, mapping, response) : undefined;
    return unbuilt ?? mapResponse(connector, mapping, response, call.tool.outputSchema);
  }
  const paging = httpPaging(call);
  const output = ({ items, totalCount }: ListPage): JsonObject => ({
    items: mapping.isTrimmed === true ? trimmedItems(items, call.tool.outputSchema) : items,
    ...(totalCount === undefined ? {} : { totalCount }),
  });
  if (paging === undefined) {
    const response = fromXml(connector, await sender.send(firstRequest(call, execution)));
    return output(mapListPage(connector, mapping, response));
  }
  const fetchPage = async (wanted: PageRequest): Promise<VendorPage> => {
    const request = pageRequest(call, execution, wanted);
    const response = fromXml(connector, await sender.send(request));
    const page = mapListPage(connector, mapping, response);
    return { ...page, ...nextPosition(paging, page.items, response, request.url) };
  };
  return output(await readWindow(paging, windowOf(call), fetchPage));
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Sends the request. If the tool allows it, follows a redirect to another origin without the credential. */
async function sendFollowing(
  { name }: ConnectorHead,
  request: HttpRequest,
  execution: HttpExecution,
  sender: Sender,
): Promise<EgressResponse> {
  if (execution.request.followsElsewhere !== true) return sender.send(request);
  const response = await sender.send({ ...request, redirect: 'manual' });
  if (!REDIRECTS.has(response.status)) return response;
  const url = URL.parse(response.headers['location'] ?? '', request.url.href);
  if (url === null || url.protocol !== request.url.protocol || url.username !== '' || url.password !== '')
    throw new CallFailure(`${name} redirects to an address that is not valid.`);
  return sender.send({ method: 'GET', url, headers: { accept: '*/*' }, body: undefined });
}

/** Whether the output is the raw body, for example a file that happens to be XML. */
function isWhole(mapping: ResponseMapping): boolean {
  return mapping.type === 'raw' || (mapping.type === 'object' && mapping.pointer === '');
}

function unbuiltOutput(
  connector: ConnectorHead,
  mapping: Exclude<ResponseMapping, { readonly type: 'list' }>,
  response: EgressResponse,
): UnbuiltOutput | undefined {
  switch (mapping.type) {
    case 'raw':
      return unbuiltResponse(response);
    case 'empty':
      return undefined;
    case 'object':
      if (mapping.isTrimmed === true) return undefined;
      requireSuccess(connector, response, mapping);
      return unbuiltResponse(response, mapping.pointer);
  }
}

/** The first request that a call of the tool sends. Throws CallFailure. */
export function firstRequest(call: ToolCall, execution: HttpExecution): HttpRequest {
  const paging = httpPaging(call);
  const page = paging === undefined ? { query: [], values: {} } : firstPage(paging, windowOf(call));
  return pageRequest(call, execution, page);
}

function pageRequest(call: ToolCall, { request }: HttpExecution, page: PageRequest): HttpRequest {
  const values = { input: withDefaults(call), page: page.values };
  const built = buildRequest(call, request, values, [...listQuery(call.tool, call), ...page.query]);
  return page.url === undefined ? built : continueAt(call, request, built, page.url);
}

/** The inputs, with defaults for missing ones. */
function withDefaults({ tool, fields }: ToolCall): LazyObject {
  const properties = tool.inputSchema['properties'];
  const defaults = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) =>
    isObject(schema) && 'default' in schema ? [[name, schema['default'] ?? null] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...fields };
}

function httpPaging({ tool }: ToolCall): HttpPaging | undefined {
  return tool.paging === null || tool.paging.type === 'handler' ? undefined : tool.paging;
}

function windowOf(call: ToolCall): Window {
  return { top: call.top ?? DEFAULT_TOP, offset: call.offset ?? 0 };
}
