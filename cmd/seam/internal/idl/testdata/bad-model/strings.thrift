const string A = 5
const string B = B_WORD
const string B_WORDS = "b"
const binary C = [1, 2]
const uuid D = "01234567-89ab-cdef-0123-456789abcde"
const uuid E = "01234567-89ab-cdef-0123-456789abcdeg"
const uuid F = "0123456789abcdef0123456789abcdef"
const uuid G = 7
const string TEXT = "not a uuid"
const uuid H = TEXT
const i32 NUMBER = 5
const string I = NUMBER
const string LONG = 12 const uuid J = "a text that is far too long to be shown in an error message, and has no end"
