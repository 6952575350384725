import { html } from '@fairlead/service-kit/http/html';
import type { Html } from '@fairlead/service-kit/http/html';
import type { JsonSchema } from '../http/json-schema.ts';
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from '../openapi/document.ts';
import { example } from './docs-example.ts';

/** An operation with where it stands. */
interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** The document as a page for people: contents, every operation with a curl line, every schema. */
export function renderDocs(document: OpenApiDocument): Html {
  const entries: Entry[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const byTag = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter((entry) => entry.operation.tags[0] === tag.name),
  }));
  const schemas = Object.entries(document.components.schemas);
  return html`<nav aria-label="Contents">
      <p><strong>${document.info.title}</strong> ${document.info.version}</p>
      <p><a href="openapi.json">openapi.json</a></p>
      ${byTag.map(
        (tag) =>
          html`<h2>${tag.name}</h2>
            <ul>
              ${tag.entries.map(
                ({ method, path, operation }) =>
                  html`<li>
                    <a href="#${operation.operationId}"><code>${method.toUpperCase()}</code> ${path}</a>
                  </li>`,
              )}
            </ul>`,
      )}
      <h2>Schemas</h2>
      <ul>
        ${schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`)}
      </ul>
    </nav>
    <main>
      <h1>${document.info.title}</h1>
      ${document.info.description.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)}
      <p>Base address: <code>${document.servers[0]?.url}</code></p>
      ${byTag.map(
        (tag) =>
          html`<section>
            <h2>${tag.name}</h2>
            <p>${tag.description}</p>
            ${tag.entries.map((entry) => renderOperation(entry, document))}
          </section>`,
      )}
      <section>
        <h2>Schemas</h2>
        ${schemas.map(
          ([name, schema]) =>
            html`<article id="schema-${name}">
              <h3>${name}</h3>
              ${renderSchema(schema)}
            </article>`,
        )}
      </section>
    </main>`;
}

function renderOperation({ method, path, operation }: Entry, document: OpenApiDocument): Html {
  const body = operation.requestBody;
  return html`<article id="${operation.operationId}">
    <h3>${operation.summary}</h3>
    <p class="address"><code class="${method}">${method.toUpperCase()}</code> <code>${path}</code></p>
    ${operation.description === undefined ? undefined : html`<p>${inline(operation.description)}</p>`}
    ${operation.parameters === undefined ? undefined : renderParameters(operation.parameters)}
    ${
      body === undefined
        ? undefined
        : html`<h4>Body${body.required ? '' : ' (optional)'}</h4>
            ${renderSchema(body.content['application/json'].schema)}`
    }
    <h4>Example</h4>
    <pre tabindex="0"><code>${example(method, path, operation, document)}</code></pre>
    <h4>Answers</h4>
    <dl>
      ${Object.entries(operation.responses).map(([status, answer]) =>
        renderAnswer(status, '$ref' in answer ? referredTo(answer.$ref, document) : answer),
      )}
    </dl>
  </article>`;
}

function renderAnswer(status: string, { description, content }: ResponseObject): Html {
  const record = status.startsWith('2') ? content?.['application/json'].schema : undefined;
  return html`<dt><code>${status}</code></dt>
    <dd>${inline(description)} ${record === undefined ? undefined : renderSchema(record)}</dd>`;
}

function referredTo(reference: string, document: OpenApiDocument): ResponseObject {
  const response = document.components.responses[reference.slice(reference.lastIndexOf('/') + 1)];
  if (response === undefined) throw new Error(`The document does not hold ${reference}.`);
  return response;
}

function renderParameters(parameters: readonly ParameterObject[]): Html {
  return html`<h4>Parameters</h4>
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">In</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${parameters.map(
          (parameter) =>
            html`<tr>
              <td><code>${parameter.name}</code>${parameter.required ? ' *' : ''}</td>
              <td>${parameter.in}</td>
              <td>${typeOf(parameter.schema)}</td>
              <td>${inline(parameter.description ?? '')}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

function renderSchema(schema: JsonSchema): Html {
  const { properties, required = [] } = schema;
  if (properties === undefined || schema.$ref !== undefined) return html`<p>${typeOf(schema)}</p>`;
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Member</th>
        <th scope="col">Type</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${Object.entries(properties).map(
        ([name, member]) =>
          html`<tr>
            <td><code>${name}</code>${required.includes(name) ? ' *' : ''}</td>
            <td>${typeOf(member)}</td>
            <td>${inline(member.description ?? '')}${nested(member)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** Members of an object, or of the objects in an array, that have no name of their own. */
function nested(member: JsonSchema): Html | undefined {
  const inner = member.items ?? member;
  return inner.properties === undefined ? undefined : renderSchema(inner);
}

const REFERENCE = '#/components/schemas/';

/** The type of a schema in a few words, with a link where it has a name. */
function typeOf(schema: JsonSchema): Html {
  const { $ref: reference, enum: values, anyOf, type, format, minimum, maximum, default: fallback } = schema;
  if (reference !== undefined) {
    const name = reference.slice(REFERENCE.length);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (values !== undefined) return html`${values.map((value) => JSON.stringify(value)).join(' | ')}`;
  if (anyOf !== undefined) {
    return html`${anyOf.map((part, index) => html`${index === 0 ? '' : ' or '}${typeOf(part)}`)}`;
  }
  if (type === 'array') return html`array of ${typeOf(schema.items ?? {})}`;
  const range = minimum === undefined ? '' : ` ${minimum} to ${maximum ?? '…'}`;
  const notes = [
    format === undefined ? '' : ` (${format})`,
    range,
    fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`,
  ];
  return html`${type === undefined ? 'any JSON' : [type].flat().join(' or ')}${notes.join('')}`;
}

/** The little Markdown that descriptions use: `code` and **strong**. */
function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return html`${parts.map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : html`${part}`;
  })}`;
}

/** The style sheet of the page. */
export const DOCS_STYLE = `*{box-sizing:border-box}html{scroll-behavior:smooth}
body{font:1rem/1.5 system-ui,sans-serif;margin:0;display:grid;grid-template-columns:20rem minmax(0,1fr);color:#1c2430;background:#fff}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;background:#f5f6f8;font-size:.85rem}
nav h2{font-size:.85rem;margin:1rem 0 .25rem}nav ul{list-style:none;margin:0;padding:0}nav li{margin:.15rem 0;overflow-wrap:anywhere}
main{padding:1rem 2rem 4rem;max-width:64rem}article{border-top:1px solid #dde1e7;padding:1rem 0}
a{color:#0b57d0}code,pre{font:.875em/1.5 ui-monospace,monospace}pre{background:#f5f6f8;padding:.75rem;overflow:auto;border-radius:.5rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #eceff3}
h4{margin:1rem 0 .25rem}dt{float:left;clear:left;width:4rem}dd{margin:0 0 .4rem 4rem}
.address code:first-child{padding:.1rem .4rem;border-radius:.25rem;color:#fff;background:#0b57d0}
.address code.post{background:#1a7f37}.address code.put{background:#8a5a00}.address code.delete{background:#b3261e}
@media(max-width:60rem){body{grid-template-columns:minmax(0,1fr)}nav{position:static;height:auto}}
@media(prefers-color-scheme:dark){body{background:#14181f;color:#e6e9ee}nav,pre{background:#1e242e}a{color:#8ab4f8}th,td,article{border-color:#333b47}}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}`;
