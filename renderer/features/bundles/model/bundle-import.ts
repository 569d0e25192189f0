// Review and import of one bundle: what the server would write, and why an import is not possible yet.
import { useMutation, useQuery } from '@tanstack/react-query';
import type { BundleReview } from '@svc/shared/api/bundles';
import { callRest } from '../../../live/rest.ts';
import { problemOf } from '../../../live/problem.ts';
import { bundleBody, type BundleFile } from './bundle-file.ts';

export interface ImportedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly action: string;
}

export interface ImportSettings {
  readonly namespace: string;
  /** Names of Secrets here by their names in the bundle. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Query of both requests. Names that stay as they are need no parameter. */
export function importQuery({ namespace, secrets }: ImportSettings): URLSearchParams {
  const pairs = Object.entries(secrets).filter(([theirs, here]) => here !== '' && here !== theirs);
  return new URLSearchParams({ namespace, ...(pairs.length > 0 && { secrets: pairs.map((pair) => pair.join('=')).join(',') }) });
}

/** Reason why the review cannot be imported, in one sentence. `keyId` is the key as the sender names it. */
export function importBlock({ signer, objects }: BundleReview, keyId: string): string | undefined {
  if (objects.every(({ action }) => action === 'unchanged')) return 'Nothing to import: every object is here already.';
  if (signer.standing === 'own') return undefined;
  if (keyId.trim() === '') return 'Enter the key that the sender names, to compare it.';
  return keyId.trim() === signer.keyId ? undefined : 'The bundle is signed with another key than the sender names. Do not import it.';
}

export function useBundleReview(file: BundleFile, settings: ImportSettings) {
  const query = importQuery(settings).toString();
  return useQuery({
    queryKey: ['bundle-review', file.name, file.text.length, query],
    queryFn: async ({ signal }) =>
      (await callRest(`/v1/bundles/review?${query}`, { method: 'POST', text: bundleBody(file.text), signal })).body as BundleReview,
    gcTime: 0,
    retry: false,
    // Otherwise a different review than the shown one would be imported.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useBundleImport(file: BundleFile, settings: ImportSettings) {
  return useMutation({
    mutationFn: async (review: BundleReview) => {
      const query = importQuery(settings);
      query.set('review', review.review);
      if (review.signer.standing !== 'own') query.set('signer', review.signer.keyId);
      const { body } = await callRest(`/v1/bundles/import?${query}`, { method: 'POST', text: bundleBody(file.text) });
      return (body as { readonly results: readonly ImportedObject[] }).results;
    },
  });
}

/** Whether an import was refused because something changed since the review. */
export const isOvertaken = (error: unknown): boolean => problemOf(error).code === 'conflict';
