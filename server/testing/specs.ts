// Specs of Tools and ModelEndpoints for tests, as the store holds them: normalised by the kind, so that a test cannot hand a runtime what no write makes.
import type { ModelEndpointSpec } from '@svc/shared/kinds/model-endpoint/rules';
import { specOf } from '@svc/shared/kinds/read';
import type { ToolSpec } from '@svc/shared/kinds/tool/normalize';

const place = { namespace: 'default', name: 'any' };

export const toolSpec = (spec: object): ToolSpec => specOf('Tool', { ...place, spec });
export const modelSpec = (spec: object): ModelEndpointSpec => specOf('ModelEndpoint', { ...place, spec });
