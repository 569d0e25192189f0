// Values that a Field passes to the control inside it: its id, its description and whether it is invalid.
import { createContext, useContext } from 'react';

export interface FieldIds {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  readonly required: boolean;
}

export const FieldContext = createContext<FieldIds | undefined>(undefined);

/** The attributes a control takes from the Field around it; none outside of one. */
export function useFieldAttributes() {
  const field = useContext(FieldContext);
  if (!field) return {};
  return {
    id: field.id,
    'aria-describedby': field.describedBy,
    'aria-invalid': field.invalid || undefined,
    'aria-required': field.required || undefined,
  };
}
