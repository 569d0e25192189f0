// Rows of replaced specs, and the versions that they hold. Pure; both engines store the same columns.
import type { SpecVersion, VersionEntry } from './store.ts';

export interface VersionRow {
  generation: number;
  written_at: string;
  written_by: string | null;
  replaced_at: string;
}

export const VERSION_COLUMNS = 'generation, written_at, written_by, replaced_at';

export function toVersionEntry({ generation, written_at, written_by, replaced_at }: VersionRow): VersionEntry {
  return { generation, writtenAt: written_at, replacedAt: replaced_at, ...(written_by !== null && { writtenBy: written_by }) };
}

export function toVersion(row: VersionRow & { spec: string }): SpecVersion {
  return { ...toVersionEntry(row), spec: JSON.parse(row.spec) as SpecVersion['spec'] };
}

/**
 * Condition of rows of one object that its limits no longer keep, newest first; the newest row always stays.
 * The three values are texts of SQL: the uid, the largest number of rows and their largest size in total.
 */
export function surplusSql([uid, number, bytes]: readonly [string, string, string]): string {
  return `uid = ${uid} AND generation <= (
    SELECT max(generation) FROM (
      SELECT generation, row_number() OVER (ORDER BY generation DESC) AS place, sum(size) OVER (ORDER BY generation DESC) AS total
      FROM spec_versions WHERE uid = ${uid}
    ) kept WHERE place > ${number} OR (place > 1 AND total > ${bytes})
  )`;
}
