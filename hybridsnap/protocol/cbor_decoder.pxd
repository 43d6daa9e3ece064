# The C types of cbor_decoder.py, for Cython. Lengths and places are Py_ssize_t: 32 bits of a length never
# overflow one where pages of this size can be had.
cimport cython

cdef int ENVELOPE, MAP, ARRAY, STOP, FALSE, TRUE, NULL, DOUBLE, BINARY, BYTES, TEXT, NO_STRING
cdef int CHILDREN, SHADOW_ROOTS, DOCUMENT
cdef Py_ssize_t _WORDS, _SLOTS, _DOCUMENTS
cdef object _HEAD_FIELDS, _read_double, _to_base64, _is_finite
cdef double _INT64


@cython.final
cdef class OpenNode:
    cdef Py_ssize_t end, items_end
    cdef int into
    cdef object backend_node_id, node_type, node_name, local_name, node_value, child_node_count
    cdef tuple children, attributes, shadow_roots, pseudo_elements
    cdef object shadow_root_type, content_document, frame_id, is_scrollable, node_id
    cdef list items

    cdef int begin(self, Py_ssize_t end) except -1


@cython.final
cdef class Reader:
    cdef bytes data
    cdef readonly Py_ssize_t pos
    cdef list slots, texts, spare
    cdef dict words

    @cython.locals(data=bytes, pos=Py_ssize_t, size=Py_ssize_t, info=int)
    cdef Py_ssize_t length(self, Py_ssize_t limit) except -1

    @cython.locals(data=bytes, pos=Py_ssize_t, size=Py_ssize_t)
    cdef Py_ssize_t envelope(self, Py_ssize_t limit) except -1

    @cython.locals(end=Py_ssize_t)
    cdef Py_ssize_t enter(self, Py_ssize_t limit, int kind) except -1

    cdef int leave(self, Py_ssize_t end) except -1

    @cython.locals(initial=int, size=Py_ssize_t)
    cdef int skip(self, Py_ssize_t limit) except -1

    @cython.locals(size=Py_ssize_t)
    cdef Py_ssize_t key(self, Py_ssize_t limit) except -1

    @cython.locals(initial=int, size=Py_ssize_t, start=Py_ssize_t)
    cdef str text(self, Py_ssize_t limit)

    @cython.locals(data=bytes, start=Py_ssize_t, size=Py_ssize_t, slot=Py_ssize_t, known=bytes, text=str)
    cdef str word(self, Py_ssize_t limit)

    cdef object small_int(self)

    @cython.locals(data=bytes, pos=Py_ssize_t, size=cython.longlong, initial=int, info=int)
    cdef Py_ssize_t integer(self) except? -1

    @cython.locals(data=bytes, pos=Py_ssize_t, size=Py_ssize_t, end=Py_ssize_t, number=cython.longlong, digit=int, negative=bint)
    cdef object number_text(self, Py_ssize_t limit)

    @cython.locals(initial=int)
    cdef object boolean(self)

    @cython.locals(data=bytes, initial=int, size=Py_ssize_t, start=Py_ssize_t, number=double)
    cdef object scalar(self, Py_ssize_t limit)

    @cython.locals(data=bytes, outer=list, ends=list, end=Py_ssize_t, inner_end=Py_ssize_t, is_map=bint, initial=int)
    cdef object value(self, Py_ssize_t limit)

    @cython.locals(kind=int)
    cdef object _opened(self)

    @cython.locals(size=Py_ssize_t, end=Py_ssize_t)
    cdef Py_ssize_t message(self) except -1

    @cython.locals(data=bytes, end=Py_ssize_t, size=Py_ssize_t)
    cdef Py_ssize_t result(self) except -1

    @cython.locals(data=bytes, end=Py_ssize_t, start=Py_ssize_t, fields=dict)
    cdef tuple head(self)

    @cython.locals(data=bytes, end=Py_ssize_t, nodes=list, nodes_end=Py_ssize_t, found=bint, size=Py_ssize_t)
    cdef list ax_nodes(self, Py_ssize_t limit)

    @cython.locals(data=bytes, end=Py_ssize_t, size=Py_ssize_t, start=Py_ssize_t)
    cdef object ax_node(self, Py_ssize_t limit)

    @cython.locals(data=bytes, end=Py_ssize_t, size=Py_ssize_t)
    cdef object ax_role(self, Py_ssize_t limit)

    @cython.locals(data=bytes, end=Py_ssize_t, size=Py_ssize_t)
    cdef object ax_text(self, Py_ssize_t limit)

    @cython.locals(data=bytes, end=Py_ssize_t, size=Py_ssize_t)
    cdef object ax_value(self, Py_ssize_t limit)

    @cython.locals(data=bytes, end=Py_ssize_t, inner=Py_ssize_t, size=Py_ssize_t, start=Py_ssize_t, properties=dict, has_value=bint)
    cdef object ax_properties(self, Py_ssize_t limit)

    @cython.locals(data=bytes, end=Py_ssize_t, inner=Py_ssize_t, size=Py_ssize_t, start=Py_ssize_t)
    cdef object ax_reason(self, Py_ssize_t limit)

    @cython.locals(data=bytes, end=Py_ssize_t, ids=list)
    cdef tuple ax_ids(self, Py_ssize_t limit)

    @cython.locals(data=bytes, end=Py_ssize_t, size=Py_ssize_t, start=Py_ssize_t)
    cdef object dom_tree(self, Py_ssize_t limit, bytes name)

    @cython.locals(data=bytes, stack=list, documents=Py_ssize_t, node=OpenNode)
    cdef object dom_node(self, Py_ssize_t limit)

    @cython.locals(end=Py_ssize_t, node=OpenNode)
    cdef OpenNode opened_node(self, Py_ssize_t limit)

    cdef object dom_built(self, OpenNode node)

    @cython.locals(data=bytes, end=Py_ssize_t, size=Py_ssize_t, start=Py_ssize_t)
    cdef int dom_fields(self, OpenNode node) except -1

    cdef str text_or_word(self, Py_ssize_t limit)

    @cython.locals(end=Py_ssize_t)
    cdef bint dom_list(self, OpenNode node, int into) except -1

    @cython.locals(data=bytes, end=Py_ssize_t, attributes=list, is_name=bint)
    cdef tuple dom_attributes(self, Py_ssize_t limit)

    @cython.locals(data=bytes, end=Py_ssize_t, inner=Py_ssize_t, size=Py_ssize_t, start=Py_ssize_t, found=list)
    cdef tuple dom_pseudo_elements(self, Py_ssize_t limit)


@cython.locals(reader=Reader)
cpdef list ax_nodes(bytes message)

@cython.locals(reader=Reader)
cpdef object dom_node(bytes message, bytes key)

@cython.locals(reader=Reader)
cpdef object head(bytes message)

@cython.locals(reader=Reader)
cpdef object result(bytes message)

@cython.locals(reader=Reader)
cpdef object plain(bytes message)
